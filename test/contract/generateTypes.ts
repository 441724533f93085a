import { plugin } from "bun"
import * as typescript5 from "typescript-5"

/*
 * The types that `openapi-typescript` makes of the OpenAPI document on standard input, on standard output. It writes them
 * with the compiler's programming interface, which TypeScript 7 does not have: here it gets TypeScript 5's.
 */

plugin({
  name: "typescript-5",
  setup: (build) => void build.module("typescript", () => ({ exports: { default: typescript5 }, loader: "object" }))
})

const { astToString, default: openapiTS } = await import("openapi-typescript")
console.log(astToString(await openapiTS(await Bun.stdin.text())))
