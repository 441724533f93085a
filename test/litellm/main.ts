/**
 * LiteLLM of PyPI in a pinned version makes its tables by its own migrations and rows by its own code (`fill.py`: sealed
 * parameters, hashed tokens, windows of budgets), which are imported; every budget is compared to the nano-dollar, and every
 * key that may be used is. Needs python3, Postgres, and the network for the installation.
 *
 *   bun run test:long litellm             the run, with both of LiteLLM's ciphers
 *   bun run test:long litellm --record    writes recorded.sql for the suite
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { settled, standings } from "./standings.ts"

const version = "1.108.7"
const home = resolve(import.meta.dirname, "../../node_modules/.cache/litellm")
const python = join(home, version, "bin/python")
const programs = postgresPrograms()
if (programs === undefined) throw new Error("Postgres is not there")

if (!existsSync(join(home, version, "installed"))) {
  mkdirSync(home, { recursive: true })
  console.log(`Installing litellm ${version}`)
  execFileSync("python3", ["-m", "venv", "--clear", join(home, version)])
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", `litellm[proxy]==${version}`])
  writeFileSync(join(home, version, "installed"), "")
}

const fill = (...options: ReadonlyArray<string>): string =>
  execFileSync(python, [join(import.meta.dirname, "fill.py"), ...options], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1e8
  })

/** The package's own migrations, oldest first. */
const migrations = (): ReadonlyArray<string> => {
  const folder = execFileSync(python, ["-c", "import litellm_proxy_extras as e; print(list(e.__path__)[0])"], {
    encoding: "utf8"
  }).trim()
  return readdirSync(join(folder, "migrations"))
    .toSorted()
    .map((name) => join(folder, "migrations", name, "migration.sql"))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, "utf8"))
}

const server = await startPostgres(programs, { fsync: "off" })
const folder = mkdtempSync(join(tmpdir(), "gateway-litellm-"))
let failed = 0
const check = (name: string, is: boolean) => {
  console.log(`${is ? "ok  " : "FAIL"} ${name}`)
  if (!is) failed++
}

const makeTables = async (name: string): Promise<{ readonly url: string; readonly rows: Bun.SQL }> => {
  const admin = new Bun.SQL({ url: server.url, max: 1 })
  await admin.unsafe(`CREATE DATABASE ${name}`)
  await admin.close()
  const url = server.url.replace(/\/postgres$/, `/${name}`)
  const rows = new Bun.SQL({ url, max: 1 })
  // Some need an extension or an older state, as Prisma's own resolver knows; the tables are compared by the import itself.
  for (const text of migrations())
    await rows
      .unsafe(text)
      .simple()
      .catch(() => undefined)
  return { url, rows }
}

const record = async () => {
  const { rows } = await makeTables("recorded")
  const columns: ReadonlyArray<{ name: string; text: string }> = await rows.unsafe(`
    SELECT c.relname AS name, string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN d.adbin IS NULL OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%' THEN ''
         ELSE ' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum) AS text
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind = 'r' AND c.relname = ANY (string_to_array('${tables.join(",")}', ',')) GROUP BY 1 ORDER BY 1`)
  const text = [
    `-- Tables of LiteLLM ${version} and rows that its own code made: \`bun run test:long litellm --record\`.`,
    ...columns.map(({ name, text }) => `CREATE TABLE "${name}" (${text});`),
    fill("--record")
  ].join("\n")
  writeFileSync(join(import.meta.dirname, "recorded.sql"), text)
  await rows.close()
  console.log("wrote recorded.sql")
}

const tables = [
  "BudgetTable",
  "Config",
  "CredentialsTable",
  "EndUserTable",
  "VerificationToken",
  "TeamMembership",
  "ModelTable",
  "ProxyModelTable",
  "OrganizationTable",
  "ProjectTable",
  "TagTable",
  "TeamTable",
  "UserTable"
].map((name) => `LiteLLM_${name}`)

const run = async (name: string, ...options: ReadonlyArray<string>) => {
  const { rows, url } = await makeTables(name)
  await rows.unsafe(fill(...options)).simple()
  const upstream = await startGateway()
  const place = join(folder, name)
  mkdirSync(place)
  const config = join(place, "config.yaml")
  const params = `{ model: openai/sandbox-text, api_base: ${upstream.url}/v1, api_key: os.environ/UPSTREAM_KEY }`
  writeFileSync(config, `model_list: [{ model_name: gpt-fast, litellm_params: ${params} }]\n`)
  const out = join(place, "gateway.yaml")
  const args = ["import", "litellm", config, "--database", url, "--write", "--out", out]
  const env = { LITELLM_SALT_KEY: "salt-of-the-test" }
  const first = await runCommand(place, args, env)
  check(`${name}: seven accounts and twenty keys`, first.out.includes("Made 7 accounts and 20 keys."))
  const [here, there] = [await standings(place), await settled(rows)]
  for (const [owner, { most, used }] of there) {
    const one = here.get(owner)
    check(`${name}: ${owner} used ${used} of ${most} nano-dollars`, one?.most === most && one.used === used)
  }
  check(`${name}: nothing twice`, (await runCommand(place, args, env)).out.includes("Made 0 accounts and 0 keys."))
  const secrets = readFileSync(join(place, "gateway.env"), "utf8")
  check(`${name}: the sealed key of a provider`, secrets.includes("OPENAI_KEY=sk-provider-0123456789\n"))
  const gateway = await startGateway({
    folder: place,
    env: { GATEWAY_CONFIG: out, UPSTREAM_KEY: upstream.key, OPENAI_KEY: "sk-provider-0123456789" }
  })
  for (let index = 0; index < 20; index++) {
    const key = `sk-litellm-test-${String(index).padStart(2, "0")}-0123456789`
    const response = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    check(`${name}: key-${index} is ${response.status}`, response.status === ([6, 14, 19].includes(index) ? 401 : 200))
  }
  await gateway.dispose()
  await upstream.dispose()
  await rows.close()
}

try {
  if (process.argv.includes("--record")) await record()
  else {
    await run("secretbox")
    await run("gcm", "--gcm")
  }
} finally {
  await server.dispose()
  rmSync(folder, { recursive: true, force: true })
}
console.log(failed === 0 ? "all of it holds" : `${failed} did not hold`)
process.exit(failed === 0 ? 0 : 1)
