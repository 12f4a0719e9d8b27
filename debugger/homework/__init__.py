"""Work that counts: assignments, receipts of proved cures, certificates. Signed; no pages."""
