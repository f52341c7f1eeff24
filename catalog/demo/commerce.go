package demo

// This file has the actions on orders and shipments.

import "almanac/catalog"

func commerceOrders() []action {
	return []action{
		{
			id: "commerce.order.list", title: "List orders", op: catalog.Read,
			about:    "List orders by customer, status, warehouse or day, the newest first.",
			entities: "order customer", tags: "commerce order sales",
			aliases: "find orders; purchases of a customer; order history",
			in: `customer_id?: str -- Only this customer, like cus_0001.
				status?: placed|shipped|delivered|returned|cancelled -- Only this status.
				warehouse_id?: str -- Only from this warehouse, like whs_01.
				from_date?: date -- Only placed on or after this day.
				to_date?: date -- Only placed on or before this day.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<order>",
			do: []step{list(`SELECT * FROM order_view WHERE 1 {AND customer_id = :customer_id} {AND status = :status}
				{AND warehouse_id = :warehouse_id}
				{AND placed_on >= :from_date} {AND placed_on <= :to_date} ORDER BY id DESC LIMIT :limit OFFSET :offset`)},
			lua: `commerce.order.list({ customer_id = "cus_0001" })
				commerce.order.list({ status = "placed", warehouse_id = "whs_01" })`,
		}, {
			id: "commerce.order.get", title: "Get an order", op: catalog.Read,
			about:    "Get one order by its id.",
			entities: "order", tags: "commerce order", aliases: "show order; order status; order details",
			in:  `order_id: str -- Order, like ord_00001.`,
			out: "order",
			do:  []step{one(`SELECT * FROM order_view WHERE id = :order_id`)},
			lua: `commerce.order.get({ order_id = "ord_00001" })`,
		}, {
			id: "commerce.order.list_lines", title: "List the lines of an order", op: catalog.Read,
			about:    "List what was ordered, line by line.",
			entities: "order order_line product", tags: "commerce order lines", aliases: "order positions; what was ordered",
			in:  `order_id: str -- Order, like ord_00001.`,
			out: "list<order_line>",
			do:  []step{list(`SELECT * FROM order_line_view WHERE order_id = :order_id ORDER BY line`)},
			lua: `commerce.order.list_lines({ order_id = "ord_00001" })`,
		}, {
			id: "commerce.order.create", title: "Place an order", op: catalog.Create,
			about:    "Place an order for an active customer at today's prices and reserve the goods in a warehouse.",
			entities: "order customer product", tags: "commerce order new sales", aliases: "new order; buy; purchase; checkout",
			in: `customer_id: str -- Customer, like cus_0001.
				warehouse_id: str -- Warehouse it ships from, see commerce.inventory.list_for_product.
				lines: list<new_order_line> 1..50 -- What is ordered.
				ship_to?: str 1..200 -- Delivery address; by default the customer's.
				note?: str 1..400 -- What the customer asks for.`,
			out:  "order",
			undo: "commerce.order.cancel; order_id = $result.id",
			do: []step{
				refuse(`SELECT 'customer ' || id || ' is ' || status || ' and cannot order' FROM customers
					WHERE id = :customer_id AND status <> 'active'`),
				fresh("ord"),
				exec(`INSERT INTO orders SELECT :new_id, id, :warehouse_id, 'placed', 0,
					coalesce(:ship_to, street || ', ' || city || ', ' || country), :note, :today
					FROM customers WHERE id = :customer_id`),
				each("lines", "new_order_line",
					refuse(`SELECT 'product ' || id || ' is discontinued' FROM products
						WHERE id = :product_id AND status = 'discontinued'`),
					let("available", `SELECT coalesce((SELECT on_hand - reserved FROM inventory
						WHERE product_id = :product_id AND warehouse_id = :warehouse_id), 0)`),
					refuse(`SELECT 'only ' || :available || ' of ' || :product_id || ' available in ' || :warehouse_id || ', '
						|| :quantity || ' ordered' WHERE :quantity > :available`),
					exec(`INSERT INTO order_lines SELECT :new_id, :line, id, :quantity, price_cents, :quantity * price_cents
						FROM products WHERE id = :product_id`),
					exec(`UPDATE inventory SET reserved = reserved + :quantity
						WHERE product_id = :product_id AND warehouse_id = :warehouse_id`)),
				exec(`UPDATE orders SET total_cents = (SELECT sum(amount_cents) FROM order_lines WHERE order_id = :new_id)
					WHERE id = :new_id`),
				one(`SELECT * FROM order_view WHERE id = :new_id`),
			},
			lua: `commerce.order.create({ customer_id = "cus_0001", warehouse_id = "whs_03", lines = { { product_id = "prd_003", quantity = 2 }, { product_id = "prd_004" } } })`,
		}, {
			id: "commerce.order.update", title: "Change an order", op: catalog.Update,
			about:    "Change the delivery address or the note of an order that is not shipped yet.",
			entities: "order", tags: "commerce order edit address", aliases: "change delivery address; edit order",
			in: `order_id: str -- Order, like ord_00001.
				ship_to?: str 1..200 -- New delivery address.
				note?: str 1..400 -- New note.`,
			out: "order",
			do: []step{
				someOf("ship_to", "note"),
				refuse(`SELECT 'order ' || id || ' is ' || status || ' and cannot be changed' FROM orders
					WHERE id = :order_id AND status <> 'placed'`),
				exec(`UPDATE orders SET ship_to = coalesce(:ship_to, ship_to), note = coalesce(:note, note) WHERE id = :order_id`),
				one(`SELECT * FROM order_view WHERE id = :order_id`),
			},
			lua: `commerce.order.update({ order_id = "ord_03123", note = "Ring at the gate." })`,
		}, {
			id: "commerce.order.cancel", title: "Cancel an order", op: catalog.Delete,
			about:    "Cancel an order that is not shipped yet and release the goods it reserved. Its invoice is not touched.",
			entities: "order", tags: "commerce order cancel", aliases: "call off order; revoke order",
			in:  `order_id: str -- Order, like ord_00001.`,
			out: "order",
			do: []step{
				refuse(`SELECT 'order ' || id || ' is ' || status || ', only placed orders can be cancelled' FROM orders
					WHERE id = :order_id AND status <> 'placed'`),
				exec(releaseStock),
				exec(`UPDATE orders SET status = 'cancelled' WHERE id = :order_id`),
				one(`SELECT * FROM order_view WHERE id = :order_id`),
			},
			lua: `commerce.order.cancel({ order_id = "ord_03124" })`,
		},
	}
}

// The changes that an order makes to the stock of its warehouse.
const (
	releaseStock = `UPDATE inventory SET reserved = reserved - quantity` + ofOrder
	shipStock    = `UPDATE inventory SET reserved = reserved - quantity, on_hand = on_hand - quantity` + ofOrder
	returnStock  = `UPDATE inventory SET on_hand = on_hand + quantity` + ofOrder

	ofOrder = ` FROM (SELECT o.warehouse_id AS w, l.product_id AS p, sum(l.quantity) AS quantity
		FROM orders o JOIN order_lines l ON l.order_id = o.id WHERE o.id = :order_id GROUP BY l.product_id)
		WHERE product_id = p AND warehouse_id = w`
)

func commerceShipments() []action {
	return []action{
		{
			id: "commerce.fulfilment.list_pending", title: "List orders to ship", op: catalog.Read,
			about:    "List the orders that wait to be shipped, the oldest first.",
			entities: "order shipment", tags: "commerce fulfilment order queue shipping",
			aliases: "orders to ship; fulfilment queue; pick list; fulfillment",
			in: `warehouse_id?: str -- Only from this warehouse, like whs_01.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<order>",
			do: []step{list(`SELECT * FROM order_view WHERE status = 'placed' {AND warehouse_id = :warehouse_id}
				ORDER BY id LIMIT :limit`)},
			lua: `commerce.fulfilment.list_pending({ warehouse_id = "whs_02" })`,
		}, {
			id: "commerce.fulfilment.ship", title: "Ship an order", op: catalog.Create,
			about:    "Ship a placed order: the goods leave the stock and a shipment is made.",
			entities: "order shipment", tags: "commerce fulfilment shipping dispatch",
			aliases: "dispatch order; send parcel; fulfill order",
			in: `order_id: str -- Placed order, like ord_03200.
				carrier: str 1..80 -- Who carries it.
				tracking: str 1..80 -- Tracking code.`,
			out: "shipment",
			do: []step{
				refuse(`SELECT 'order ' || id || ' is ' || status || ', only placed orders can be shipped' FROM orders
					WHERE id = :order_id AND status <> 'placed'`),
				exec(shipStock),
				fresh("shp"),
				exec(`INSERT INTO shipments SELECT :new_id, id, warehouse_id, :carrier, :tracking, 'in_transit', :today, NULL
					FROM orders WHERE id = :order_id`),
				exec(`UPDATE orders SET status = 'shipped' WHERE id = :order_id`),
				one(`SELECT * FROM shipment_view WHERE id = :new_id`),
			},
			lua: `commerce.fulfilment.ship({ order_id = "ord_03125", carrier = "Blue Van", tracking = "BV100200" })`,
		}, {
			id: "commerce.shipment.list", title: "List shipments", op: catalog.Read,
			about:    "List shipments by order, customer, status or carrier, the newest first.",
			entities: "shipment order", tags: "commerce fulfilment shipment delivery",
			aliases: "parcels; deliveries on their way",
			in: `order_id?: str -- Only of this order, like ord_00001.
				customer_id?: str -- Only to this customer, like cus_0001.
				status?: in_transit|delivered|returned -- Only this status.
				carrier?: str -- Only this carrier.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<shipment>",
			do: []step{list(`SELECT * FROM shipment_view WHERE 1 {AND order_id = :order_id} {AND customer_id = :customer_id}
				{AND status = :status} {AND lower(carrier) = lower(:carrier)} ORDER BY id DESC LIMIT :limit`)},
			lua: `commerce.shipment.list({ status = "in_transit", limit = 10 })`,
		}, {
			id: "commerce.shipment.get", title: "Get a shipment", op: catalog.Read,
			about:    "Get one shipment by its id, with carrier and tracking code.",
			entities: "shipment", tags: "commerce fulfilment shipment tracking", aliases: "track parcel; where is the delivery",
			in:  `shipment_id: str -- Shipment, like shp_00001.`,
			out: "shipment",
			do:  []step{one(`SELECT * FROM shipment_view WHERE id = :shipment_id`)},
			lua: `commerce.shipment.get({ shipment_id = "shp_00001" })`,
		}, {
			id: "commerce.shipment.mark_delivered", title: "Mark a shipment as delivered", op: catalog.Update,
			about:    "Note that a shipment has arrived; its order then counts as delivered.",
			entities: "shipment order", tags: "commerce fulfilment shipment delivery",
			aliases: "confirm delivery; parcel arrived",
			in:      `shipment_id: str -- Shipment in transit, like shp_00001.`,
			out:     "shipment",
			do: []step{
				refuse(`SELECT 'shipment ' || id || ' is ' || status FROM shipments
					WHERE id = :shipment_id AND status <> 'in_transit'`),
				exec(`UPDATE shipments SET status = 'delivered', delivered_on = :today WHERE id = :shipment_id`),
				exec(`UPDATE orders SET status = 'delivered' WHERE id = (SELECT order_id FROM shipments WHERE id = :shipment_id)`),
				one(`SELECT * FROM shipment_view WHERE id = :shipment_id`),
			},
			lua: `commerce.shipment.mark_delivered({ shipment_id = "shp_02914" })`,
		}, {
			id: "commerce.shipment.return", title: "Take a shipment back", op: catalog.Update, risk: catalog.High,
			about:    "Note that a delivered shipment came back: the goods return to stock. Its invoice is not touched.",
			entities: "shipment order", tags: "commerce fulfilment shipment return",
			aliases: "goods returned; return an order; take back",
			in:      `shipment_id: str -- Delivered shipment, like shp_00001.`,
			out:     "shipment",
			do: []step{
				refuse(`SELECT 'shipment ' || id || ' is ' || status || ', only delivered ones can be returned' FROM shipments
					WHERE id = :shipment_id AND status <> 'delivered'`),
				let("order_id", `SELECT order_id FROM shipments WHERE id = :shipment_id`),
				exec(returnStock),
				exec(`UPDATE shipments SET status = 'returned' WHERE id = :shipment_id`),
				exec(`UPDATE orders SET status = 'returned' WHERE id = :order_id`),
				one(`SELECT * FROM shipment_view WHERE id = :shipment_id`),
			},
			lua: `commerce.shipment["return"]({ shipment_id = "shp_00001" })`,
		},
	}
}
