/*
 * What the program is made of, as CycloneDX 1.6 has it: the packages of `gateway licenses --json` with the hashes of
 * `bun.lock`, and Bun. `bun package/sbom.js dist/licenses.pack`.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
const read = (path) => readFileSync(join(root, path), "utf8")

const purl = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`

/** The SHA-512 of each package's archive, by `name@version`. */
const hashes = () => {
  const found = new Map()
  for (const [, id, integrity] of read("bun.lock").matchAll(/^ {4}".+?": \["([^"]+)".*"sha512-([^"]+)"\],?$/gm)) {
    found.set(id, Buffer.from(integrity, "base64").toString("hex"))
  }
  return found
}

/** An SPDX id, an expression of several, or what else a package says. */
const licensed = (license) => {
  if (/^[\w.+-]+$/.test(license)) return [{ license: { id: license } }]
  return /^\(?[\w.+-]+( (AND|OR|WITH) [\w.+-]+)+\)?$/.test(license)
    ? [{ expression: license }]
    : [{ license: { name: license } }]
}

/**
 * The document's text: the same for the same sources.
 * @param packages what `gateway licenses --json` prints
 */
export const sbom = (packages) => {
  const { description, license, name, version } = JSON.parse(read("package.json"))
  const sha512 = hashes()
  const component = (one) => {
    const hash = sha512.get(`${one.name}@${one.version}`)
    return {
      type: "library",
      "bom-ref": purl(one.name, one.version),
      name: one.name,
      version: one.version,
      ...(hash !== undefined && { hashes: [{ alg: "SHA-512", content: hash }] }),
      licenses: licensed(one.license),
      purl: purl(one.name, one.version)
    }
  }
  const components = packages.map(component)
  const own = {
    type: "application",
    "bom-ref": purl(name, version),
    name,
    version,
    description,
    licenses: licensed(license),
    purl: purl(name, version)
  }
  const dependencies = [{ ref: own["bom-ref"], dependsOn: components.map((one) => one["bom-ref"]) }]
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components,
    dependencies
  }
  const id = createHash("sha256").update(JSON.stringify(document)).digest("hex")
  const uuid = `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`
  return `${JSON.stringify({ ...document, serialNumber: `urn:uuid:${uuid}` }, undefined, 2)}\n`
}

if (import.meta.main) process.stdout.write(sbom(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"))))
