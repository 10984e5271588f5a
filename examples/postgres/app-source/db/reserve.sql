-- What can still be reserved.
CREATE OR REPLACE FUNCTION shop.available(wanted text) RETURNS integer
LANGUAGE sql AS $$
  SELECT in_stock - coalesce((SELECT sum(amount) FROM shop.reservations WHERE item = wanted), 0)::integer
  FROM shop.items
  WHERE name = wanted
$$;

-- Reserves an amount, or says no.
CREATE OR REPLACE FUNCTION shop.reserve(wanted text, how_many integer) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM shop.items WHERE name = wanted FOR UPDATE;
  IF shop.available(wanted) < how_many THEN
    RETURN false;
  END IF;
  INSERT INTO shop.reservations (item, amount) VALUES (wanted, how_many);
  RETURN true;
END
$$;
