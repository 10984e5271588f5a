SET client_min_messages = warning;

DROP SCHEMA IF EXISTS shop CASCADE;
CREATE SCHEMA shop;

CREATE TABLE shop.items (
  name text PRIMARY KEY,
  in_stock integer NOT NULL
);

CREATE TABLE shop.reservations (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item text NOT NULL REFERENCES shop.items,
  amount integer NOT NULL CHECK (amount > 0)
);

\ir reserve.sql
