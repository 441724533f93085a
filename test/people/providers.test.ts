import { expect, it } from "vitest"
import { isTokenOver, ProviderFailed } from "../../src/people/Providers.ts"

it.each([
  ["invalid_grant", 400, true],
  ["invalid_grant", 401, true],
  // Dex: its token was revoked, or replaced by another.
  ["invalid_request", 400, true],
  // Dex: where it has its people from does not answer.
  ["invalid_request", 500, false],
  ["invalid_client", 401, false],
  ["server_error", 400, false],
  [undefined, 503, false]
])("a refresh answered with %s and %i: the token counts no more: %s", (refusal, status, isOver) => {
  expect(isTokenOver(new ProviderFailed({ message: "it answers", refusal, status }))).toBe(isOver)
})
