from toys import build

trainer = build(rate=100, steps=3)
trainer.train()
