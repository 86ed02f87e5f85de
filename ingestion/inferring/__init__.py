"""From a sample file to a Table Schema, with the evidence for each decision. Nothing is stored here."""
