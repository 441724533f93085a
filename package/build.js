/*
 * Builds what the package ships: JavaScript of every source, and declarations of what its entry reaches. Runs under Node,
 * as `npm pack` does. An import of `./Keys.ts` becomes one of `./Keys.js`, in declarations too, so that whoever uses
 * them need not allow TypeScript's extensions.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
const built = join(root, "dist", "package")

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const compilerPackage = join(root, "node_modules", "typescript")

/** Says what happens, on standard error: `npm pack` prints the file's name on standard output. */
const say = (what) => process.stderr.write(`model-gateway: ${what} …\n`)

// A fresh clone: the lock file is Bun's.
if (!existsSync(compilerPackage)) {
  say("1 of 4: installs the packages (a minute)")
  const install = ["-y", `bun@${own.dependencies.bun}`, "install", "--frozen-lockfile", "--silent"]
  const { status } = spawnSync("npx", install, { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

const compile = (project) => {
  const compiler = join(compilerPackage, "bin", "tsc")
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(root, "package", project)], { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

rmSync(built, { recursive: true, force: true })
say("2 of 4: compiles the sources (seconds)")
compile("tsconfig.json")
say("3 of 4: writes the declarations (a minute or two)")
compile("types.tsconfig.json")

// The console's page is built by Bun, which the package runs on.
say("4 of 4: builds the console's page (seconds)")
const page = ["-y", `bun@${own.dependencies.bun}`, "src/console/pack.ts", join(built, "src/console/console.pack")]
const { status } = spawnSync("npx", page, { cwd: root, stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)

const declarations = readdirSync(built, { recursive: true }).filter((name) => name.endsWith(".d.ts"))
for (const name of declarations) {
  const file = join(built, name)
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replaceAll(/((?:from|import\()\s*"\.{1,2}\/[^"\n]+)\.ts"/g, '$1.js"'))
}

// The version is read from here; the rest is the package's own.
const { name, type, version } = own
writeFileSync(join(built, "package.json"), `${JSON.stringify({ name, version, type }, null, 2)}\n`)
