-- fragment: key_list_decimal
dibs_key# numeric({size}, {scale}) = :key#

-- fragment: key_list_text
-- A type without its length would be one of a single character.
dibs_key# varchar = :key#
