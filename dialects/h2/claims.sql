-- fragment: key_type_decimal
-- Without a scale the value would be rounded.
numeric({size}, {scale})

-- fragment: key_type_text
-- CHAR without a length is one character.
varchar
