import taffrail

run = taffrail.init(project="digits", name="first", config={"lr": 3e-4})
for step in range(100):
    run.log({"train/loss": 1 / (step + 1)}, step=step)
run.finish()
