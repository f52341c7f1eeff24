package demo

// This file has the word lists of the generator: constant tables only.

var firstNames = []string{
	"Ada", "Amir", "Anna", "Bea", "Boris", "Carla", "Cem", "Clara", "Daan", "Dina", "Elena", "Emil", "Esra", "Fatima",
	"Finn", "Greta", "Hana", "Hugo", "Ida", "Igor", "Ines", "Jan", "Jonas", "Julia", "Kaya", "Karl", "Lea", "Leo", "Lina",
	"Luca", "Mara", "Marco", "Mila", "Nadia", "Nils", "Nora", "Olga", "Omar", "Paul", "Petra", "Rafael", "Rosa", "Sami",
	"Sara", "Sven", "Tara", "Theo", "Tom", "Una", "Vera", "Viktor", "Yara", "Zoe",
}

var lastNames = []string{
	"Aalto", "Adler", "Bakker", "Baumann", "Berg", "Bianchi", "Brandt", "Costa", "Dahl", "Dubois", "Eriksen", "Farkas",
	"Fischer", "Garcia", "Graf", "Haas", "Hansen", "Horvat", "Ivanov", "Jansen", "Keller", "Klein", "Kovacs", "Kruse",
	"Lang", "Larsen", "Lehmann", "Lopez", "Maier", "Martin", "Meyer", "Moreau", "Nagy", "Neumann", "Novak", "Olsen",
	"Peeters", "Petrov", "Popescu", "Ricci", "Rossi", "Santos", "Schmidt", "Silva", "Sommer", "Stein", "Toth", "Vogel",
	"Wagner", "Weber", "Winter", "Yilmaz",
}

var companyFirst = []string{
	"Alder", "Amber", "Anchor", "Apex", "Arrow", "Aurora", "Beacon", "Birch", "Blue Ridge", "Bright", "Canal", "Cedar",
	"Cobalt", "Copper", "Coral", "Crown", "Delta", "Eagle", "Echo", "Elm", "Ember", "Falcon", "Fern", "Fjord", "Forge",
	"Garnet", "Glacier", "Golden", "Granite", "Harbor", "Hazel", "Helix", "Heron", "Highland", "Indigo", "Iron", "Ivy",
	"Juniper", "Keystone", "Lakeside", "Lark", "Linden", "Lotus", "Maple", "Meridian", "Mill", "Nimbus", "North", "Oak",
	"Onyx", "Orchard", "Otter", "Pine", "Pioneer", "Quarry", "Raven", "Redwood", "River", "Sable", "Silver", "Solstice",
	"Spruce", "Sterling", "Stone", "Summit", "Swift", "Tidal", "Timber", "Valley", "Vega", "Willow", "Zephyr",
}

var companySecond = []string{
	"Analytics", "Bakery", "Books", "Builders", "Clinics", "Components", "Design", "Dynamics", "Energy", "Farms", "Foods",
	"Furniture", "Glass", "Hotels", "Industries", "Instruments", "Interiors", "Labs", "Lighting", "Machines", "Media",
	"Motors", "Outfitters", "Packaging", "Partners", "Pharma", "Printing", "Robotics", "Schools", "Software", "Studios",
	"Systems", "Textiles", "Tools", "Trading", "Transport", "Works",
}

var industries = []string{
	"construction", "education", "energy", "food", "health", "hospitality", "logistics", "manufacturing", "media",
	"retail", "software",
}

var tiers = []string{"standard", "silver", "gold", "enterprise"}

type place struct{ city, country string }

var places = []place{
	{"Amsterdam", "NL"}, {"Antwerp", "BE"}, {"Barcelona", "ES"}, {"Berlin", "DE"}, {"Bologna", "IT"}, {"Brno", "CZ"},
	{"Copenhagen", "DK"}, {"Dublin", "IE"}, {"Gdansk", "PL"}, {"Graz", "AT"}, {"Hamburg", "DE"}, {"Helsinki", "FI"},
	{"Leeds", "GB"}, {"Lille", "FR"}, {"Lisbon", "PT"}, {"Lyon", "FR"}, {"Milan", "IT"}, {"Oslo", "NO"}, {"Porto", "PT"},
	{"Prague", "CZ"}, {"Rotterdam", "NL"}, {"Seville", "ES"}, {"Stockholm", "SE"}, {"Tallinn", "EE"}, {"Utrecht", "NL"},
	{"Vienna", "AT"}, {"Zagreb", "HR"}, {"Zurich", "CH"},
}

var streets = []string{
	"Bridge Street", "Canal Road", "Castle Lane", "Church Street", "Dock Road", "Factory Lane", "Garden Street",
	"Harbour Street", "Hill Road", "Market Square", "Mill Lane", "Park Avenue", "Station Road", "Tower Street",
	"Water Lane",
}

var jobTitles = []string{
	"Accountant", "Buyer", "Chief executive", "Facility manager", "Finance director", "Head of purchasing", "IT manager",
	"Office manager", "Operations manager", "Store manager", "Warehouse manager",
}

var noteTexts = []string{
	"Prefers to be called in the morning.", "Asked for a quarterly statement.",
	"Wants one invoice a month, not one an order.", "New head of purchasing since the summer.",
	"Pays late in August, always pays.", "Interested in the framework contract.",
	"Deliveries only on weekdays before noon.", "Visited at the trade fair, good talk.",
	"Comparing our prices with a competitor.",
	"Needs purchase order numbers on every invoice.",
}

var leadSources = []string{"web", "web", "referral", "trade_fair", "cold_call", "partner"}

type role struct{ name, about, permissions string }

var roles = []role{
	{"administrator", "Everything, including users and roles.", `["*:*"]`},
	{"sales", "Accounts, customers, contacts and leads.", `["crm:read","crm:write","commerce:read"]`},
	{"billing", "Invoices, payments, refunds and credits.", `["billing:read","billing:write","crm:read"]`},
	{"support agent", "Tickets, macros and escalations.",
		`["support:read","support:write","crm:read","commerce:read","billing:read"]`},
	{"warehouse", "Orders, stock and shipments.", `["commerce:read","commerce:write"]`},
	{"analyst", "Reads everything, changes reports.",
		`["crm:read","billing:read","support:read","commerce:read","reporting:read","reporting:write"]`},
	{"auditor", "Reads everything and the audit log.",
		`["crm:read","billing:read","support:read","commerce:read","identity:read","reporting:read"]`},
}

// A staffJob's role is the number of a role, from 1.
type staffJob struct {
	title, team string
	role        int
}

var staffJobs = []staffJob{
	{"Administrator", "admin", 1}, {"Account manager", "sales", 2}, {"Support agent", "support", 4},
	{"Billing clerk", "billing", 3}, {"Warehouse lead", "operations", 5}, {"Support agent", "support", 4},
	{"Sales representative", "sales", 2}, {"Analyst", "operations", 6}, {"Support lead", "support", 4},
	{"Accountant", "billing", 3}, {"Sales representative", "sales", 2}, {"Auditor", "admin", 7},
}

type stockPlace struct{ name, city, country string }

var warehouses = []stockPlace{
	{"Rotterdam port", "Rotterdam", "NL"}, {"Hamburg north", "Hamburg", "DE"}, {"Lyon south", "Lyon", "FR"},
	{"Gdansk east", "Gdansk", "PL"},
}

// A productGroup's prices run from low to high, in whole euros.
type productGroup struct {
	name      string
	low, high int
	things    []string
}

var productGroups = []productGroup{
	{"furniture", 60, 700, []string{"desk", "office chair", "shelf", "cabinet", "meeting table", "stool"}},
	{"lighting", 15, 180, []string{"desk lamp", "floor lamp", "ceiling light", "light strip", "spot light"}},
	{"packaging", 5, 60, []string{"carton box", "pallet wrap", "envelope set", "packing tape", "mailing tube"}},
	{"electronics", 25, 900, []string{"monitor", "label printer", "scanner", "keyboard", "headset", "power hub"}},
	{"tools", 10, 250, []string{"drill set", "hand truck", "tool box", "ladder", "work bench"}},
	{"safety", 8, 120, []string{"helmet", "safety vest", "first aid kit", "glove pack", "fire blanket"}},
}

var productKinds = []string{
	"Atlas", "Basic", "Classic", "Compact", "Delta", "Eco", "Flex", "Heavy", "Light", "Modular", "Nordic", "Prime", "Pro",
	"Solid", "Urban",
}

var carriers = []string{"Parcel Nord", "EuroFreight", "Blue Van", "Rail Direct"}

var orderNotes = []string{
	"Please deliver before noon.", "Ring at the gate.", "Partial delivery is fine.", "Invoice to head office.",
	"Leave at the loading dock.",
}

type billedService struct {
	name  string
	price int
}

var services = []billedService{
	{"Maintenance plan", 24_900}, {"Installation", 48_000}, {"Support plan", 19_500}, {"Storage", 12_750},
	{"Training day", 89_000}, {"Delivery flat rate", 6_900},
}

var payMethods = []string{"bank_transfer", "bank_transfer", "bank_transfer", "card", "direct_debit", "cheque"}

var refundReasons = []string{"Damaged on arrival", "Wrong item delivered", "Billed twice", "Late delivery",
	"Price was agreed lower", "Goodwill"}

var creditReasons = []string{"Late delivery", "Goodwill", "Volume bonus", "Price adjustment", "Returned packaging"}
