"""A page for somebody's own script: run stage by stage in the sandbox, changed, run again."""
