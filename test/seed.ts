import fc from "fast-check"

/*
 * Properties draw the same cases at each run, so that what fails has failed because something changed.
 * `SEED=random bun run test test/sandbox` draws new ones, `SEED=1071729800` those of a run that failed.
 */

const { SEED } = process.env
fc.configureGlobal({ seed: SEED === "random" ? Date.now() : Number(SEED ?? 20_260_101) })
