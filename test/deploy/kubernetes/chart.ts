import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseAllDocuments } from "yaml"
import { goProgram } from "../../goPrograms.ts"

const root = resolve(import.meta.dirname, "../../..")
export const chart = join(root, "deploy/helm/model-gateway")

/** Helm; undefined where it was not built. */
export const helm = goProgram("helm")

/** The Kubernetes that charts are rendered for, the newest whose schemas are at hand. */
export const kubernetes = "1.30"

export type Values = Readonly<Record<string, unknown>>

interface Said {
  readonly exitCode: number
  readonly out: string
  readonly error: string
}

/** Helm reads a chart anew for each question. */
const answers = new Map<string, Promise<Said>>()

const ask = async (args: ReadonlyArray<string>, values: string): Promise<Said> => {
  const child = Bun.spawn([helm ?? "helm", ...args, "--values", "-"], {
    stdin: new Blob([values]),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, error, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { exitCode, out, error }
}

const run = (args: ReadonlyArray<string>, values: Values): Promise<Said> => {
  const question = JSON.stringify([args, values])
  const known = answers.get(question) ?? ask(args, JSON.stringify(values))
  answers.set(question, known)
  return known
}

export const lint = (values: Values) => run(["lint", "--strict", chart, "--kube-version", `${kubernetes}.0`], values)

/** What the chart makes of values, as text, or why it refuses them. */
export const render = (values: Values, ...options: ReadonlyArray<string>) => named("model-gateway", values, ...options)

/** The same for a release of another name. */
export const named = (release: string, values: Values, ...options: ReadonlyArray<string>) =>
  run(["template", release, chart, "--kube-version", `${kubernetes}.0`, ...options], values)

/** The documents of a text, by their kinds. */
export const byKind = (text: string): ReadonlyMap<string, unknown> =>
  new Map(
    parseAllDocuments(text, { version: "1.1" }).map((document) => [
      String(document.get("kind")),
      document.toJS() as unknown
    ])
  )

/** Values of the two ways to run it. */
export const onSqlite: Values = { secret: { name: "model-gateway", variables: ["GATEWAY_ADMIN_KEY"] } }
export const onPostgres: Values = {
  database: "postgres",
  replicas: 3,
  secret: { name: "model-gateway", variables: ["GATEWAY_DATABASE_URL", "GATEWAY_SECRET", "GATEWAY_ADMIN_KEY"] },
  files: { claim: "model-gateway-files" }
}

/** The manifests that are shipped for those without Helm: what the chart makes, without Helm's own marks. */
export const manifests = [
  { file: "deploy/kubernetes/sqlite.yaml", values: onSqlite },
  { file: "deploy/kubernetes/postgres.yaml", values: onPostgres }
].map(({ file, values }) => ({
  file,
  text: async (): Promise<string> => {
    const { error, exitCode, out } = await render(values, "--skip-tests")
    if (exitCode !== 0) throw new Error(error)
    const own = out.replaceAll(/^(# Source: .*| *app\.kubernetes\.io\/managed-by: .*)\n/gm, "")
    return `# Made of deploy/helm/model-gateway by \`bun ./test/deploy/kubernetes/chart.ts\` (docs/deployment.md).\n${own}`
  },
  shipped: (): string => readFileSync(join(root, file), "utf8")
}))

if (import.meta.main) {
  mkdirSync(join(root, "deploy/kubernetes"), { recursive: true })
  for (const { file, text } of manifests) writeFileSync(join(root, file), await text())
}
