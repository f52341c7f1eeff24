create table customers (id bigint auto_increment primary key, name varchar(100) not null comment 'As on invoices', email varchar(100) unique,
  vip boolean not null default false, notes json, born date, score double, picture blob) comment 'People who buy';
create table orders (id bigint auto_increment primary key, customer_id bigint not null,
  status enum('open', 'paid', 'it''s') not null default 'open', total decimal(20,2) not null, placed datetime(3) not null default '2024-05-06 07:08:09.120',
  foreign key (customer_id) references customers(id) on delete cascade);
create table `lines` (order_id bigint not null, line int not null, sku varchar(20) not null,
  quantity int not null default 1, primary key (order_id, line), foreign key (order_id) references orders(id) on delete cascade);
create table log (message text);
create table `Odd "Names"` (`the id` bigint unsigned auto_increment primary key, `select` text, `größe` text);
create view open_orders as select o.id, c.name, o.total from orders o join customers c on c.id = o.customer_id where o.status = 'open';
create function order_total(customer bigint) returns decimal(20,2) reads sql data return (select sum(total) from orders where customer_id = customer);
create procedure close_order(the_order bigint) comment 'Marks an order as paid' update orders set status = 'paid' where id = the_order;
create procedure out_of_it(out n int) set n = 1;
insert into customers (id, name, email, vip, notes, born, score, picture) values
  (1, 'Ann', 'ann@example.com', true, '{"likes": ["tea"]}', '1980-02-29', 1.5, x'00ff'), (2, 'Bob', null, false, null, null, null, null),
  (3, 'O''Brien', 'ob@example.com', false, '"text"', '2001-01-01', 2, null);
insert into orders (id, customer_id, status, total) values (1, 1, 'open', 9.99), (2, 1, 'paid', 100), (3, 2, 'open', 12345678.90);
insert into `lines` values (1, 1, 'pen', 2), (1, 2, 'cup', 1), (2, 1, 'pen', 10);
