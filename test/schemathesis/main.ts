/**
 * Schemathesis over the public and the admin OpenAPI document: no 5xx, no status that a document does not have, no body
 * outside its schema, and what else it checks. Needs python3; installs its pinned version into a folder of the
 * package cache. What is switched off, and why: `schemathesis.toml` beside this file, and `ruled`.
 *
 *   bun run test:long schemathesis [--cases 20000] [--seed 1] [--only public|admin]
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { allFamilies, families, isCalled } from "../../src/contract/kinds.ts"
import { startGateway, testKey } from "../e2e/process.ts"
import { sandboxModelAt } from "../families.ts"

const version = "4.32.5"
const adminKey = "admin-key-0123456789abcdefghijklmnop"

const args = process.argv.slice(2)
const valueOf = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined)
const cases = Number(valueOf("--cases") ?? 20_000)
const firstSeed = Number(valueOf("--seed") ?? 1)
const only = valueOf("--only")

const nothing = (why: string): never => {
  console.error(`${why}: nothing was tested`)
  process.exit(2)
}

/** Its program, installed if it is not there yet. */
const install = (): string => {
  const python = Bun.which("python3") ?? nothing("python3 is not there")
  const folder = resolve(import.meta.dirname, `../../node_modules/.cache/schemathesis-${version}`)
  const program = join(folder, "bin/schemathesis")
  if (existsSync(join(folder, "installed"))) return program
  console.log(`Installing schemathesis ${version} into ${folder}`)
  for (const command of [
    [python, "-m", "venv", "--clear", folder],
    [join(folder, "bin/pip"), "install", "--quiet", "--disable-pip-version-check", `schemathesis==${version}`]
  ]) {
    const { exitCode } = Bun.spawnSync(command, { stdout: "inherit", stderr: "inherit" })
    if (exitCode !== 0) nothing(`${command.slice(0, 3).join(" ")} failed`)
  }
  writeFileSync(join(folder, "installed"), version)
  return program
}

const Report = Schema.parseJson(
  Schema.Struct({
    complete: Schema.Boolean,
    exit_code: Schema.Int,
    test_cases: Schema.Struct({ generated: Schema.Int }),
    failures: Schema.Array(
      Schema.Struct({ code: Schema.String, title: Schema.String, operations: Schema.Array(Schema.String) })
    ),
    errors: Schema.Array(Schema.Unknown)
  })
)

interface Came {
  readonly cases: number
  readonly findings: number
}

interface Document {
  readonly name: string
  readonly path: string
  readonly key: string
  readonly operations: number
}

const program = install()
const folder = mkdtempSync(join(tmpdir(), "gateway-schemathesis-"))

/** Of so many requests that name a model, how many get one that is served; a video is work for seconds. */
const modelAt = (path: string) => ({ id: sandboxModelAt.get(path) ?? "", served: 7, of: 8 })
const models = {
  ...Object.fromEntries(
    allFamilies.filter(isCalled).flatMap((family) => families[family].paths.map((path) => [path, modelAt(path)]))
  ),
  "/v1/responses/input_tokens": modelAt("/v1/responses"),
  "/v1/messages/count_tokens": modelAt("/v1/messages"),
  "/v1/quote": modelAt("/v1/messages"),
  [families.videos.paths[0]]: { ...modelAt(families.videos.paths[0]), served: 1, of: 4 }
}

/**
 * Requests of families have rules that no JSON Schema tells: a thinking budget below the limit, roles that take turns,
 * tools that are there. A body that fits the schema alone is mostly a 400 that names the rule.
 */
const ruled = [...allFamilies.map((family) => families[family].paths[0]), "/v1/quote", "/v1/tasks"]
const checks = `${readFileSync(join(import.meta.dirname, "schemathesis.toml"), "utf8")}
[[operations]]
include-path-regex = "^(${ruled.join("|")})"
checks.positive_data_acceptance.enabled = false
`
const configFile = join(folder, "schemathesis.toml")
writeFileSync(configFile, checks)

/** One run over a document, against a gateway of its own; the output of one with findings is printed. */
const run = async ({ key, name, path }: Document, seed: number, options: ReadonlyArray<string>): Promise<Came> => {
  const home = mkdtempSync(join(tmpdir(), "gateway-schemathesis-"))
  writeFileSync(join(home, "gateway.yaml"), JSON.stringify({ server: { trusted_proxies: ["127.0.0.0/8"] } }))
  const gateway = await startGateway({ folder: home, toFile: true, env: { GATEWAY_ADMIN_KEY: adminKey } })
  const report = join(folder, `${name}-${seed}.json`)
  const began = performance.now()
  try {
    // As a file: its own reader gives up after ten seconds, which a busy machine may take.
    const document = join(home, "openapi.json")
    const headers = { authorization: `Bearer ${key}` }
    await Bun.write(document, await fetch(`${gateway.url}${path}`, { headers }))
    const child = Bun.spawn(
      [
        program,
        "--config-file",
        configFile,
        "run",
        document,
        `--url=${gateway.url}`,
        `--header=Authorization: Bearer ${key}`,
        `--seed=${seed}`,
        "--continue-on-failure",
        "--no-color",
        "--output-truncate=false",
        "--warnings=off",
        "--report=json",
        `--report-json-path=${report}`
      ].concat(options),
      {
        cwd: home,
        stdout: "pipe",
        stderr: "pipe",
        env: {
          ...process.env,
          SCHEMATHESIS_HOOKS: "hooks",
          SCHEMATHESIS_MODELS: JSON.stringify(models),
          PYTHONPATH: import.meta.dirname,
          PYTHONDONTWRITEBYTECODE: "1"
        }
      }
    )
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    await child.exited
    if (!existsSync(report)) {
      console.log(output, errors)
      return { cases: 0, findings: 1 }
    }
    const came = Schema.decodeUnknownSync(Report)(readFileSync(report, "utf8"))
    const findings = came.failures.reduce((sum, { operations }) => sum + operations.length, came.errors.length)
    // What ended early, or failed without saying why, is a finding too.
    const all = Math.max(findings, came.complete && came.exit_code === 0 ? 0 : 1)
    if (all > 0) console.log(output)
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    console.log(`${name} document, seed ${seed}: ${came.test_cases.generated} cases in ${seconds} s, ${all} findings`)
    return { cases: came.test_cases.generated, findings: all }
  } finally {
    await gateway.dispose()
  }
}

const documents: ReadonlyArray<Document> = [
  { name: "public", path: "/openapi.json", key: testKey, operations: 25 },
  { name: "admin", path: "/admin/openapi.json", key: adminKey, operations: 19 }
].filter(({ name }) => only === undefined || name === only)

/** Cases that it makes of each operation by itself, one for each value that a schema sets apart: some 250. */
const isLong = cases >= 15_000
const total = { cases: 0, findings: 0 }
for (let seed = firstSeed; total.cases < cases; seed++) {
  const operations = documents.reduce((sum, document) => sum + document.operations, 0)
  const isFirst = seed === firstSeed
  const examples = Math.ceil(isFirst && isLong ? 60 : (cases - total.cases) / operations / 1.5)
  const phases = isFirst && isLong ? "examples,coverage,fuzzing,stateful" : "fuzzing,stateful"
  const options = [`--phases=${phases}`, `--max-examples=${Math.max(1, examples)}`]
  const came = await Promise.all(documents.map((document) => run(document, seed, options)))
  for (const { cases, findings } of came) {
    total.cases += cases
    total.findings += findings
  }
  // Whatever is wrong would be found again.
  if (total.findings > 0 || came.some(({ cases }) => cases === 0)) break
}
console.log(
  `schemathesis ${version}, ${documents.map(({ name }) => name).join(" and ")} document: ` +
    `${total.cases} cases, ${total.findings} findings`
)
process.exit(total.findings === 0 && total.cases >= cases ? 0 : 1)
