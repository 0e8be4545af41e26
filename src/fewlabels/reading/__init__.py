"""Reading evidence: numbers with intervals off beliefs or off weighted draws, and the answers made of them."""
