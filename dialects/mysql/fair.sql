-- fragment: ticket_row_json
{reader_row_json}

-- fragment: ticket_row_columns
{reader_row_columns}
