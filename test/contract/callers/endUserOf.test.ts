import { expect, it } from "vitest"
import { endUserOf } from "../../../src/contract/callers/endUserOf.ts"

it("an end user is named as people read it", () => {
  const session = { session_id: "5b0f7d4e-7f1e-4f0a-9a53-0f4b8c1de001" }
  const [device_id, account_uuid] = ["a".repeat(64), "0f4b8c1d-7f1e-4f0a-9a53-5b0f7d4e0001"]
  expect(endUserOf(JSON.stringify({ device_id, account_uuid, ...session }))).toBe(account_uuid)
  expect(endUserOf(JSON.stringify({ device_id, account_uuid: "", ...session }))).toBe(device_id)
  for (const other of ["anna@example.com", "{not json", "{}", JSON.stringify({ user: 1 })])
    expect(endUserOf(other)).toBe(other)
})
