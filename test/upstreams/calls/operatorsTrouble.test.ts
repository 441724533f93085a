import { expect, it } from "@effect/vitest"
import { refusal } from "../../../src/upstreams/calls/refusal.ts"

const refused = (status: number, error: Readonly<Record<string, unknown>>, isPassthrough: boolean) => {
  const body = JSON.stringify({ error })
  return refusal({ status, headers: new Headers(), body, secrets: [], sent: "{}", isPassthrough })
}

it.each([
  ["a deployment that Azure lacks", 404, { code: "DeploymentNotFound", message: "Deployment d-7 does not exist." }],
  ["an address that Azure lacks", 404, { code: "404", message: "Resource not found" }],
  [
    "a place that Google doesn't serve",
    400,
    { code: 400, message: "User location is not supported for the API use.", status: "FAILED_PRECONDITION" }
  ]
] as const)("%s is not the caller's fault, and another route is asked", (_, status, error) => {
  for (const isPassthrough of [true, false]) {
    const { failure, retry } = refused(status, error, isPassthrough)
    expect([failure._tag, retry]).toEqual(["UpstreamFailed", "elsewhere"])
    expect(failure.message).not.toContain(error.message)
  }
})
