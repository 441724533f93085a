import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { protocolNames } from "../../src/config/sections/Upstream.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/upstreams.md"), "utf8")

it.each([...Object.keys(providers), ...protocolNames])("docs/upstreams.md tells of %s", (name) => {
  expect(page).toContain(`\`${name}\``)
})
