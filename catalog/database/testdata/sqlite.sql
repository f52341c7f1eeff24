create table customers (id integer primary key, name text not null, email text unique, vip boolean not null default false,
  notes json, born date, score double, picture blob);
create table orders (id integer primary key, customer_id integer not null references customers(id) on delete cascade,
  status text not null default 'open', total decimal(10,2) not null, placed datetime not null default '2024-05-06 07:08:09');
create table lines (order_id integer not null references orders(id) on delete cascade, line integer not null, sku text not null,
  quantity integer not null default 1, primary key (order_id, line));
create table log (message text);
create table "Odd ""Names""" ("the id" integer primary key, "select" text, "größe" text);
create view open_orders as select o.id, c.name, o.total from orders o join customers c on c.id = o.customer_id where o.status = 'open';
insert into customers (id, name, email, vip, notes, born, score, picture) values
  (1, 'Ann', 'ann@example.com', true, '{"likes": ["tea"]}', '1980-02-29', 1.5, x'00ff'), (2, 'Bob', null, false, null, null, null, null),
  (3, 'O''Brien', 'ob@example.com', false, '"text"', '2001-01-01', 2, null);
insert into orders (id, customer_id, status, total) values (1, 1, 'open', 9.99), (2, 1, 'paid', 100), (3, 2, 'open', 12345678.90);
insert into lines values (1, 1, 'pen', 2), (1, 2, 'cup', 1), (2, 1, 'pen', 10);
