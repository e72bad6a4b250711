"""From stored results to what people look at: tables, figures, lists."""
