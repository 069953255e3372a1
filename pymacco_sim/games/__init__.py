"""The games: each a package of rules, state, engine and policies. Games never import one another."""
