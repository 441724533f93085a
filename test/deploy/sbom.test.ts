import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { collectLicenses } from "../../src/commands/collectLicenses.ts"

const Component = Schema.Struct({
  type: Schema.Literal("library"),
  "bom-ref": Schema.String,
  name: Schema.NonEmptyString,
  version: Schema.NonEmptyString,
  hashes: Schema.optional(
    Schema.Tuple(
      Schema.Struct({ alg: Schema.Literal("SHA-512"), content: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{128}$/)) })
    )
  ),
  licenses: Schema.Tuple(
    Schema.Union(
      Schema.Struct({ license: Schema.Struct({ id: Schema.String }) }),
      Schema.Struct({ license: Schema.Struct({ name: Schema.String }) }),
      Schema.Struct({ expression: Schema.String })
    )
  ),
  purl: Schema.String.pipe(Schema.pattern(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@[\w.+-]+$/))
})
const Document = Schema.parseJson(
  Schema.Struct({
    bomFormat: Schema.Literal("CycloneDX"),
    specVersion: Schema.Literal("1.6"),
    serialNumber: Schema.String.pipe(
      Schema.pattern(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    ),
    components: Schema.Array(Component)
  })
)

it("the CycloneDX document has every package of `gateway licenses`, with its archive's hash", () => {
  const packages = collectLicenses()
  const folder = mkdtempSync(join(tmpdir(), "gateway-sbom-"))
  const file = join(folder, "licenses.json")
  writeFileSync(file, JSON.stringify(packages))
  const script = resolve(import.meta.dirname, "../../package/sbom.js")
  const made = () => Bun.spawnSync([process.execPath, script, file]).stdout.toString()
  const { components } = Schema.decodeUnknownSync(Document)(made())
  expect(components.map(({ name, version }) => `${name}@${version}`)).toEqual(
    packages.map(({ name, version }) => `${name}@${version}`)
  )
  expect(components.length).toBeGreaterThan(50)
  expect(components.filter(({ hashes }) => hashes === undefined).map(({ name }) => name)).toEqual([])
  expect(new Set(components.map((one) => one["bom-ref"])).size).toBe(components.length)
  // The same sources make the same document.
  expect(made()).toBe(made())
  rmSync(folder, { recursive: true })
})
