"""The games: each a package of rules, state, engine and policies. Games never import one another.

Called, this package lists them: ``pm.games()`` returns a DataFrame of game, preset, players and words.
"""
