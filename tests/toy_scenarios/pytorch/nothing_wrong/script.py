from toys import build

trainer = build(rate=1, steps=3)
trainer.train()
