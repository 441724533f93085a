/**
 * Kills a process that writes to SQLite with SIGKILL, again and again, until so many writes were acknowledged; then each
 * of them must be there, and the file whole.
 *
 *   bun run test:long writes [--writes 1000000]
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Database } from "bun:sqlite"

const at = process.argv.indexOf("--writes")
const wanted = at === -1 ? 1_000_000 : Number(process.argv[at + 1])
const folder = mkdtempSync(join(tmpdir(), "gateway-writes-"))
const database = join(folder, "gateway.db")
const acknowledged: Array<number> = []
let from = 0
let kills = 0
const begun = performance.now()

while (acknowledged.length < wanted) {
  const child = Bun.spawn([process.execPath, resolve(import.meta.dirname, "writer.ts")], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", DATABASE: database, FROM: String(from) }
  })
  let isBegun = false
  let rest = ""
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split("\n")
    // An incomplete line in the pipe was not read.
    rest = lines.pop() ?? ""
    for (const line of lines) {
      const [word, ...numbers] = line.split(" ")
      if (word === "acknowledged") for (const number of numbers) acknowledged.push(Number(number))
    }
    if (!isBegun && acknowledged.length > 0) {
      isBegun = true
      setTimeout(() => child.kill("SIGKILL"), 200 + Math.random() * 4_000)
    }
    if (acknowledged.length >= wanted) child.kill("SIGKILL")
  }
  await child.exited
  kills++
  const file = new Database(database, { readonly: true })
  from = (file.query<{ last: number | null }, []>("SELECT MAX(number) AS last FROM acknowledged").get()?.last ?? -1) + 1
  file.close()
}

const seconds = (performance.now() - begun) / 1_000
const file = new Database(database, { readonly: true })
const stored = new Set(
  file
    .query<{ number: number }, []>("SELECT number FROM acknowledged")
    .all()
    .map(({ number }) => number)
)
const [integrity] = file.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all()
file.close()
rmSync(folder, { recursive: true })
const lost = acknowledged.filter((number) => !stored.has(number)).length
console.table({
  acknowledged: acknowledged.length,
  kills,
  "writes a second": Math.round(acknowledged.length / seconds),
  stored: stored.size,
  lost,
  integrity_check: integrity?.integrity_check
})
process.exit(lost === 0 && kills > 0 && integrity?.integrity_check === "ok" ? 0 : 1)
