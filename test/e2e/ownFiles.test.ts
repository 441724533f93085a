import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../src/sql/Database.ts"
import { startGateway } from "./process.ts"

const root = mkdtempSync(join(tmpdir(), "gateway-own-"))
afterAll(() => rmSync(root, { recursive: true }))

/** The files and directories below one that others may open. */
const open = (directory: string) =>
  readdirSync(directory, { recursive: true })
    .map(String)
    .filter((path) => (statSync(join(directory, path)).mode & 0o077) !== 0)

const modeOf = (path: string) => statSync(path).mode & 0o777

describe("what the gateway keeps", () => {
  it("is private: every file, and every directory that it makes", async () => {
    const gateway = await startGateway()
    expect(modeOf(join(gateway.folder, "data"))).toBe(0o700)
    expect(readdirSync(join(gateway.folder, "data"))).toEqual(
      expect.arrayContaining(["gateway.db", "gateway.db-wal", "gateway.db.lock", "secret", "kept"])
    )
    expect(open(gateway.folder)).toEqual([])
    await gateway.dispose()
  })

  it("is made so where others could open it, which the log says; another user's directory stays as it is", async () => {
    const folder = join(root, "older")
    const data = join(folder, "data")
    mkdirSync(join(data, "kept", "a".repeat(64)), { recursive: true })
    for (const path of ["gateway.db", `kept/${"a".repeat(64)}/video.mp4`]) writeFileSync(join(data, path), "")
    writeFileSync(join(data, "secret"), "a secret of thirty-two characters")
    for (const path of ["gateway.db", "secret", `kept/${"a".repeat(64)}/video.mp4`]) chmodSync(join(data, path), 0o644)
    chmodSync(data, 0o777)
    const gateway = await startGateway({ folder })
    expect(modeOf(data)).toBe(0o777)
    const isFile = (path: string) => statSync(join(data, path)).isFile()
    expect(open(data).filter(isFile)).toEqual([])
    for (const file of ["data/gateway.db", "data/secret", "video.mp4"]) {
      expect(gateway.output()).toMatch(new RegExp(`others could open a file.*${file}`))
    }
    expect(gateway.output()).toMatch(/others may write to a directory.*"mode":"0777"/)
    await gateway.dispose()
  })

  it("is private in an embedding program too, whose umask stays as it is", async () => {
    const before = process.umask(0o022)
    const directory = join(root, "embedded")
    await Effect.void.pipe(
      Effect.provide(layer({ url: `sqlite:${join(directory, "gateway.db")}`, exclusive: true })),
      Effect.runPromise
    )
    expect(process.umask(before)).toBe(0o022)
    expect(modeOf(directory)).toBe(0o700)
    expect(open(directory)).toEqual([])
  })
})
