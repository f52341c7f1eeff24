create table companies (code text primary key, name text not null);
create table people (id integer primary key, name text not null);
create table employees (id integer primary key references people(id), company text not null references companies,
  department_id integer not null references departments(id), boss integer references employees(id));
create table departments (id integer primary key, name text not null);
create table chapters (company text not null references companies, number integer not null, parent_number integer not null,
  primary key (company, number), foreign key (company, parent_number) references chapters(company, number));
create table reviews (id integer primary key, buyer integer not null references People(ID), chapter_company text not null,
  chapter_number integer not null, shelf integer not null references shelves(id),
  foreign key (chapter_company, chapter_number) references chapters);
create table nodes (node_key text primary key, root text not null references nodes);
create table members (id text primary key references companies(code), group_id text not null references nodes);
