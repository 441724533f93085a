import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Glob } from "bun"
import { parse } from "yaml"
import {
  anchorsIn,
  anchorsInSource,
  changes,
  documents,
  headingsOf,
  isThere,
  namesIn,
  pagesInSource,
  pathsIn,
  read,
  stationsIn
} from "./documents.ts"

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, { readonly steps: ReadonlyArray<{ readonly run?: string }> }>>
}

describe.each(documents)("%s", async (page) => {
  const text = await read(page)

  it("names only paths that are there", () => {
    expect(pathsIn(page, text).filter((path) => !isThere(path))).toEqual([])
  })

  it("links only to headings that are there", async () => {
    const missing: Array<string> = []
    for (const [file, anchor] of anchorsIn(page, text)) {
      if (!headingsOf(await read(file)).has(anchor)) missing.push(`${file}#${anchor}`)
    }
    expect(missing).toEqual([])
  })

  it("names only functions that are there", async () => {
    const missing: Array<string> = []
    for (const [file, name] of stationsIn(text)) {
      if (!isThere(file)) continue
      const names = namesIn(file, await read(file))
      if (!name.split(".").every((step) => names.has(step))) missing.push(`${file}:${name}`)
    }
    expect(missing).toEqual([])
  })
})

describe("CONTRIBUTING.md", () => {
  it("names the commands that package.json has", async () => {
    const page = await read("CONTRIBUTING.md")
    const { scripts } = JSON.parse(await read("package.json")) as { scripts: Record<string, string> }
    for (const name of ["check", "test", "test:long", "bench", "docs", "build"]) {
      expect(Object.keys(scripts)).toContain(name)
      expect(page).toMatch(new RegExp(`\`bun run ${name}[ \`]`))
    }
  })
})

describe("the long runs", () => {
  it("are programs that are there", async () => {
    const programs = [...(await read("test/long.ts")).matchAll(/"\.\/(test\/[^"]+\.ts)"/g)].map(([, path = ""]) => path)
    expect(programs.length).toBeGreaterThan(10)
    expect(programs.filter((path) => !isThere(path))).toEqual([])
  })
})

describe.each(["CHANGELOG.md", ...changes])("%s", (page) => {
  it("says nothing twice, and its lists have no gaps", async () => {
    const lines = (await read(page)).split("\n")
    const items = lines.filter((line) => line.startsWith("- "))
    expect(items.filter((item, at) => items.indexOf(item) !== at)).toEqual([])
    const gaps = lines.filter(
      (line, at) => line === "" && lines[at - 1]?.startsWith("- ") && lines[at + 1]?.startsWith("- ")
    )
    expect(gaps).toEqual([])
  })
})

describe("the version to come", () => {
  const isComing = (section: string) => /^\S+ – unreleased\n/.test(section)

  it("is a page of at most eighty lines, each of which leads to more", async () => {
    const coming = (await read("CHANGELOG.md")).split(/^## /m).filter(isComing)
    expect(coming.length).toBeLessThanOrEqual(1)
    for (const section of coming) {
      const items = section.split("\n").filter((line) => line !== "")
      expect(items.length).toBeLessThanOrEqual(80)
      expect(items.filter((line) => line.startsWith("- ") && !line.includes("]("))).toEqual([])
      expect(section).toContain(`(docs/changes/${section.split(" ", 1)[0]}.md)`)
    }
  })
})

describe("llms.txt", () => {
  it("names every page, and none that is not there", async () => {
    const text = await read("llms.txt")
    const linked = pathsIn("llms.txt", text)
    expect(linked.filter((path) => !isThere(path))).toEqual([])
    expect(documents.filter((page) => !linked.includes(page))).toEqual([])
  })
})

describe("the notes of a release", () => {
  const notes = (version: string) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, "package/notes.js", version])
    return { exitCode, out: stdout.toString(), err: stderr.toString() }
  }

  it("are what the changelog says of the version", async () => {
    const { version } = JSON.parse(await read("package.json")) as { version: string }
    const { exitCode, out } = notes(version)
    expect(exitCode).toBe(0)
    expect(out).toMatch(/^- /m)
    expect(out).not.toMatch(/^## /m)
    expect(await read("CHANGELOG.md")).toContain(out.trim())
  })

  it("are none of another version", () => {
    expect(notes("99.0.0")).toMatchObject({ exitCode: 1, out: "", err: expect.stringContaining('not "99.0.0"') })
  })

  it("are none of a version that the changelog calls unreleased", () => {
    const copy = mkdtempSync(join(tmpdir(), "notes-"))
    mkdirSync(join(copy, "package"))
    copyFileSync("package/notes.js", join(copy, "package/notes.js"))
    writeFileSync(join(copy, "package.json"), JSON.stringify({ type: "module", version: "1.1.0" }))
    writeFileSync(join(copy, "CHANGELOG.md"), "# Changelog\n\n## 1.1.0 – unreleased\n\n- New.\n")
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(copy, "package/notes.js"), "1.1.0"])
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("unreleased")])
  })
})

describe("the workflows", () => {
  it.each(readdirSync(".github/workflows"))("%s runs what is there, with the least of rights", async (name) => {
    const text = await read(`.github/workflows/${name}`)
    const { jobs, permissions } = parse(text) as Workflow
    expect(Object.keys(permissions)).toEqual(["contents"])
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    const named = runs.flatMap((run) => run.match(/(?:^|\s)(?:\.ci|package|test)\/[\w./-]+/g) ?? [])
    expect(named.length).toBeGreaterThan(0)
    expect(named.map((path) => path.trim()).filter((path) => !isThere(path))).toEqual([])
    expect(text).toContain("timeout-minutes")
  })
})

describe("the map", () => {
  it("names every room", async () => {
    const map = await read("ARCHITECTURE.md")
    const rooms = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(rooms.filter(({ name }) => !map.includes(`\`${name}/\``)).map(({ name }) => name)).toEqual([])
  })
})

describe("the walks of ARCHITECTURE.md", () => {
  it("have stations, in each of the four", async () => {
    const walks = (await read("ARCHITECTURE.md")).split(/^### Walk /m).slice(1)
    expect(walks.length).toBe(4)
    for (const walk of walks) expect(stationsIn(walk.split(/^## /m)[0] ?? "").length).toBeGreaterThanOrEqual(4)
  })
})

describe("metrics", () => {
  it("that pages name are there; the changelog and its pages name those that were", async () => {
    const sources = await Promise.all([...new Glob("src/**/*.ts").scanSync(".")].map(read))
    const known = new Set(sources.join("\n").match(/\b(?:gateway|gen_ai)(?:_[a-z]+)+\b/g))
    const named = await Promise.all(
      documents
        .filter((page) => page !== "CHANGELOG.md" && !changes.includes(page))
        .map(async (page) =>
          (await read(page)).match(/\b(?:gateway|gen_ai)(?:_[a-z]+)+_(?:total|seconds|circuit|pending)\b/g)
        )
    )
    expect([...new Set(named.flatMap((names) => names ?? []))].filter((name) => !known.has(name))).toEqual([])
  })
})

describe("comments in the source", () => {
  it("point to pages and headings that are there", async () => {
    const missing: Array<string> = []
    let found = 0
    for (const file of new Glob("src/**/*.ts").scanSync(".")) {
      const source = await read(file)
      missing.push(...pagesInSource(source).filter((page) => !isThere(page)))
      for (const [page, anchor] of anchorsInSource(source)) {
        found++
        if (!isThere(page) || !headingsOf(await read(page)).has(anchor)) missing.push(`${file}: ${page}#${anchor}`)
      }
    }
    expect(missing).toEqual([])
    expect(found).toBeGreaterThan(10)
  })
})

describe("what is not there", () => {
  it("is seen: a path, an anchor, a function", () => {
    const page = "See `src/http/gone.ts` and `src/http/route.ts:serveGone`, [a page](gone.md) and [this](#nothing)."
    expect(pathsIn("docs/x.md", page).filter((path) => !isThere(path))).toEqual([
      "src/http/gone.ts",
      "docs/gone.md",
      "docs/x.md"
    ])
    expect(anchorsIn("README.md", page)).toEqual([["README.md", "nothing"]])
    expect(stationsIn(page)).toEqual([["src/http/route.ts", "serveGone"]])
    expect(namesIn("a.ts", "export const serveRoute = () => ({ answer: 1 })\nclass A { read() {} }")).toEqual(
      new Set(["serveRoute", "answer", "A", "read"])
    )
  })

  it("is no path where it only looks like one: a URL's, a command, a name of the user's", () => {
    expect(pathsIn("README.md", "`/v1/messages` `bun start` `gateway.yaml` `data/` `dist/gateway`")).toEqual([])
  })

  it("has the anchors that GitHub gives headings", () => {
    expect(headingsOf("# The API, rule by rule\n## A video task's states\n### `x` and y")).toEqual(
      new Set(["the-api-rule-by-rule", "a-video-tasks-states", "x-and-y"])
    )
  })
})
