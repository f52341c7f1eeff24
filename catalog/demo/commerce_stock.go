package demo

// This file has the actions on products and inventory.

import "almanac/catalog"

func commerceProducts() []action {
	return []action{
		{
			id: "commerce.product.search", title: "Search products", op: catalog.Read,
			about:    "Find products by words of name or SKU, category, status or price.",
			entities: "product", tags: "commerce product catalogue lookup",
			aliases: "find article; product list; price list; look up sku",
			in: `query?: str 1..200 -- Words of name or SKU.
				category?: furniture|lighting|packaging|electronics|tools|safety -- Only this product group.
				status?: active|discontinued -- Only this status.
				max_price_cents?: int 0..100000000 -- Only up to this price, in cents.
				limit?: int = 25 1..200 -- How many at most.`,
			out: "list<product>",
			do: []step{list(`SELECT * FROM product_view WHERE 1
				{AND NOT EXISTS (SELECT 1 FROM json_each(:query_words) w WHERE instr(lower(name || ' ' || sku), w.value) = 0)}
				{AND category = :category} {AND status = :status} {AND price_cents <= :max_price_cents}
				ORDER BY name, id LIMIT :limit`)},
			lua: `commerce.product.search({ query = "desk lamp" })
				commerce.product.search({ category = "tools", max_price_cents = 5000 })`,
		}, {
			id: "commerce.product.get", title: "Get a product", op: catalog.Read,
			about:    "Get one product by its id, with price and stock.",
			entities: "product", tags: "commerce product price", aliases: "show article; product details; price of a product",
			in:  `product_id: str -- Product, like prd_001.`,
			out: "product",
			do:  []step{one(`SELECT * FROM product_view WHERE id = :product_id`)},
			lua: `commerce.product.get({ product_id = "prd_001" })`,
		}, {
			id: "commerce.product.create", title: "Add a product", op: catalog.Create,
			about:    "Add a product to the range. It has no stock until some is booked with commerce.inventory.adjust.",
			entities: "product", tags: "commerce product new catalogue", aliases: "new article; list a product",
			in: `name: str 1..120 -- Name.
				sku: str 1..40 -- Stock keeping unit, as printed on the box.
				category: furniture|lighting|packaging|electronics|tools|safety -- Product group.
				price_cents: int 0..100000000 -- Sales price, in cents.
				cost_cents: int 0..100000000 -- Purchase price, in cents.
				reorder_level?: int = 20 0..100000 -- Stock below which more is bought.`,
			out:  "product",
			undo: "commerce.product.delete; product_id = $result.id",
			do: []step{
				refuse(`SELECT 'there is a product with SKU ' || sku || ' already: ' || id FROM products
					WHERE upper(sku) = upper(:sku)`),
				fresh("prd"),
				exec(`INSERT INTO products VALUES (:new_id, upper(:sku), :name, :category, :price_cents, :cost_cents, 'active',
					:reorder_level)`),
				exec(`INSERT INTO inventory SELECT :new_id, id, 0, 0 FROM warehouses`),
				one(`SELECT * FROM product_view WHERE id = :new_id`),
			},
			lua: `commerce.product.create({ name = "Folding desk", sku = "FUR-9001", category = "furniture", price_cents = 14900, cost_cents = 8200 })`,
		}, {
			id: "commerce.product.update_price", title: "Change a price", op: catalog.Update, risk: catalog.High,
			about:    "Change the sales price of a product for new orders. Orders already placed keep theirs.",
			entities: "product", tags: "commerce product price", aliases: "reprice; raise price; discount a product",
			in: `product_id: str -- Product, like prd_001.
				price_cents: int 0..100000000 -- New sales price, in cents.`,
			out: "product",
			do: []step{
				exec(`UPDATE products SET price_cents = :price_cents WHERE id = :product_id`),
				one(`SELECT * FROM product_view WHERE id = :product_id`),
			},
			lua: `commerce.product.update_price({ product_id = "prd_001", price_cents = 9900 })`,
		}, {
			id: "commerce.product.update", title: "Change a product", op: catalog.Update,
			about:    "Change the name, reorder level or status of a product; a discontinued one cannot be ordered.",
			entities: "product", tags: "commerce product edit discontinue",
			aliases: "rename article; discontinue product; change reorder level",
			in: `product_id: str -- Product, like prd_001.
				name?: str 1..120 -- New name.
				reorder_level?: int 0..100000 -- New stock below which more is bought.
				status?: active|discontinued -- New status.`,
			out: "product",
			do: []step{
				someOf("name", "reorder_level", "status"),
				exec(`UPDATE products SET name = coalesce(:name, name), reorder_level = coalesce(:reorder_level, reorder_level),
					status = coalesce(:status, status) WHERE id = :product_id`),
				one(`SELECT * FROM product_view WHERE id = :product_id`),
			},
			lua: `commerce.product.update({ product_id = "prd_002", status = "discontinued" })`,
		}, {
			id: "commerce.product.delete", title: "Delete a product", op: catalog.Delete,
			about:    "Delete a product that was never ordered or billed and has no stock.",
			entities: "product", tags: "commerce product remove", aliases: "remove article",
			in:  `product_id: str -- Product, like prd_001.`,
			out: "deleted",
			do: []step{
				refuse(`SELECT 'product ' || :product_id || ' was ordered or billed; discontinue it instead'
					WHERE EXISTS (SELECT 1 FROM order_lines WHERE product_id = :product_id)
					OR EXISTS (SELECT 1 FROM invoice_lines WHERE product_id = :product_id)`),
				refuse(`SELECT 'product ' || :product_id || ' has ' || sum(on_hand) || ' units in stock' FROM inventory
					WHERE product_id = :product_id HAVING sum(on_hand) > 0`),
				exec(`DELETE FROM inventory WHERE product_id = :product_id`),
				exec(`DELETE FROM products WHERE id = :product_id`),
				gone("product_id"),
			},
			lua: `commerce.product.delete({ product_id = "prd_180" })`,
		},
	}
}

func commerceInventory() []action {
	return []action{
		{
			id: "commerce.inventory.list_for_product", title: "Stock of a product", op: catalog.Read,
			about:    "List how much of a product each warehouse has.",
			entities: "stock product warehouse", tags: "commerce inventory stock",
			aliases: "is it in stock; availability; how many are left",
			in:      `product_id: str -- Product, like prd_001.`,
			out:     "list<stock>",
			do:      []step{list(`SELECT * FROM stock_view WHERE product_id = :product_id ORDER BY available DESC, warehouse_id`)},
			lua:     `commerce.inventory.list_for_product({ product_id = "prd_001" })`,
		}, {
			id: "commerce.inventory.list_for_warehouse", title: "Stock of a warehouse", op: catalog.Read,
			about:    "List what a warehouse has in stock.",
			entities: "stock warehouse product", tags: "commerce inventory stock", aliases: "warehouse contents; stock list",
			in: `warehouse_id: str -- Warehouse, like whs_01.
				limit?: int = 25 1..200 -- How many at most.
				offset?: int = 0 0..100000 -- How many to leave out first.`,
			out: "list<stock>",
			do: []step{list(`SELECT * FROM stock_view WHERE warehouse_id = :warehouse_id
				ORDER BY product_id LIMIT :limit OFFSET :offset`)},
			lua: `commerce.inventory.list_for_warehouse({ warehouse_id = "whs_01" })`,
		}, {
			id: "commerce.inventory.list_low", title: "List low stock", op: catalog.Read,
			about:    "List active products of which less is available in all warehouses than their reorder level.",
			entities: "product stock", tags: "commerce inventory stock reorder",
			aliases: "what to reorder; running out; low stock; shortages",
			in:      `limit?: int = 25 1..200 -- How many at most.`,
			out:     "list<product>",
			do: []step{list(`SELECT * FROM product_view WHERE status = 'active' AND available < reorder_level
				ORDER BY available - reorder_level, id LIMIT :limit`)},
			lua: `commerce.inventory.list_low({ limit = 10 })`,
		}, {
			id: "commerce.inventory.adjust", title: "Correct stock", op: catalog.Update, risk: catalog.High,
			about:    "Add to or take from the stock of a product in a warehouse, after a delivery or a count.",
			entities: "stock product warehouse", tags: "commerce inventory stock count",
			aliases: "stock correction; goods received; inventory count; restock",
			in: `product_id: str -- Product, like prd_001.
				warehouse_id: str -- Warehouse, like whs_01.
				change: int -100000..100000 -- Units to add, or below zero to take.`,
			out: "stock",
			undo: "commerce.inventory.adjust; product_id = $args.product_id; " +
				"warehouse_id = $args.warehouse_id; change = -$args.change",
			do: []step{
				refuse(`SELECT 'only ' || (on_hand - reserved) || ' of ' || product_id || ' in ' || warehouse_id
					|| ' are free to take' FROM inventory
					WHERE product_id = :product_id AND warehouse_id = :warehouse_id AND on_hand + :change < reserved`),
				exec(`UPDATE inventory SET on_hand = on_hand + :change WHERE product_id = :product_id
					AND warehouse_id = :warehouse_id`),
				one(`SELECT * FROM stock_view WHERE product_id = :product_id AND warehouse_id = :warehouse_id`),
			},
			lua: `commerce.inventory.adjust({ product_id = "prd_001", warehouse_id = "whs_01", change = 40 })`,
		}, {
			id: "commerce.inventory.transfer", title: "Move stock", op: catalog.Update,
			about:    "Move units of a product from one warehouse to another.",
			entities: "stock product warehouse", tags: "commerce inventory stock transfer",
			aliases: "move goods between warehouses; relocate stock",
			in: `product_id: str -- Product, like prd_001.
				from_warehouse_id: str -- Warehouse that gives.
				to_warehouse_id: str -- Warehouse that takes.
				quantity: int 1..100000 -- How many.`,
			out: "list<stock>",
			undo: "commerce.inventory.transfer; product_id = $args.product_id; " +
				"from_warehouse_id = $args.to_warehouse_id; to_warehouse_id = $args.from_warehouse_id; " +
				"quantity = $args.quantity",
			do: []step{
				refuse(`SELECT 'the warehouses are the same' WHERE :from_warehouse_id = :to_warehouse_id`),
				refuse(`SELECT 'only ' || (on_hand - reserved) || ' of ' || product_id || ' in ' || warehouse_id
					|| ' are free to move' FROM inventory
					WHERE product_id = :product_id AND warehouse_id = :from_warehouse_id AND on_hand - :quantity < reserved`),
				exec(`UPDATE inventory SET on_hand = on_hand - :quantity
					WHERE product_id = :product_id AND warehouse_id = :from_warehouse_id`),
				exec(`UPDATE inventory SET on_hand = on_hand + :quantity
					WHERE product_id = :product_id AND warehouse_id = :to_warehouse_id`),
				list(`SELECT * FROM stock_view WHERE product_id = :product_id
					AND warehouse_id IN (:from_warehouse_id, :to_warehouse_id) ORDER BY warehouse_id`),
			},
			lua: `commerce.inventory.transfer({ product_id = "prd_003", from_warehouse_id = "whs_02", to_warehouse_id = "whs_01", quantity = 10 })`,
		}, {
			id: "commerce.warehouse.list", title: "List warehouses", op: catalog.Read,
			about:    "List the warehouses with how much is in them.",
			entities: "warehouse", tags: "commerce inventory warehouse", aliases: "locations; depots",
			out: "list<warehouse>",
			do:  []step{list(`SELECT * FROM warehouse_view ORDER BY id`)},
			lua: `commerce.warehouse.list({})`,
		},
	}
}
