"""What every game shares: state declaration, game interface, compilation, chance drivers, records, errors."""
