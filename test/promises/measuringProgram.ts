import { resolve } from "node:path"
import { Measuring } from "../guard/bodies/measure.ts"

/** Measures the program under test. Its probe is loaded before it, which a binary does not do: then it is the sources. */
export const measuringProgram = (upstream: string): Measuring => {
  const given = process.env["TEST_GATEWAY"]
  const main = given?.endsWith(".js") === true ? given : resolve(import.meta.dirname, "../../src/main.ts")
  return new Measuring(main, upstream)
}
