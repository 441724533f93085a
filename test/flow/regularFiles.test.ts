import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { mostOfSecret, RegularFiles } from "../../src/flow/RegularFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-regular-"))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string) => join(folder, name)
const fifo = (name: string) => {
  Bun.spawnSync(["mkfifo", at(name)])
  return at(name)
}
const unreadable = (reason: string, isSilent = false) => ({ _tag: "UnreadableFile", reason, isSilent })

describe("a file that is read again", () => {
  it("is read whole, also by a link, up to its bound", async () => {
    const files = new RegularFiles()
    writeFileSync(at("secret"), "sk-ß\n")
    symlinkSync(at("secret"), at("link"))
    expect(await files.read(at("link"), mostOfSecret)).toBe("sk-ß\n")
    expect((await files.look(at("link")))?.isFile()).toBe(true)
    expect(await files.look(at("none"))).toBeUndefined()
    writeFileSync(at("long"), Buffer.alloc(mostOfSecret))
    expect(await files.read(at("long"), mostOfSecret)).toHaveLength(mostOfSecret)
    writeFileSync(at("long"), Buffer.alloc(mostOfSecret + 1))
    await expect(files.read(at("long"), mostOfSecret)).rejects.toMatchObject(
      unreadable("it is larger than 65536 bytes")
    )
    expect(await files.read(at("long"), 1_000_000)).toHaveLength(mostOfSecret + 1)
    await expect(files.read(at("none"), mostOfSecret)).rejects.toMatchObject(unreadable("ENOENT"))
  })

  it("is refused if it is a FIFO, a folder or a device, at once", async () => {
    const files = new RegularFiles()
    for (const path of [fifo("pipe"), folder, "/dev/zero"]) {
      await expect(files.read(path, mostOfSecret)).rejects.toMatchObject(unreadable("it is not a regular file"))
    }
  })

  it("is read where the event loop was held up for longer than a file may take", async () => {
    writeFileSync(at("held"), "sk-h")
    const files = new RegularFiles(1_000)
    const read = files.read(at("held"), mostOfSecret)
    Bun.sleepSync(1_200)
    expect(await read).toBe("sk-h")
  })

  it("that does not answer is given up, holds one thread alone, and is read once it answers", async () => {
    writeFileSync(at("secret"), "sk-a")
    const hung = Promise.withResolvers<undefined>()
    let looks = 0
    class Hanging extends RegularFiles {
      hang = () => this.run(at("mount"), () => (looks++, hung.promise))
    }
    const files = new Hanging(50)
    const silent = unreadable("it does not answer", true)
    const waiting = files.read(at("secret"), mostOfSecret).then(() => files.hang())
    await expect(waiting).rejects.toMatchObject(silent)
    await expect(files.hang()).rejects.toMatchObject(silent)
    // A second thread might be the last one.
    await expect(files.read(at("secret"), mostOfSecret)).rejects.toMatchObject(
      unreadable(`${at("mount")} does not answer`, true)
    )
    expect(looks).toBe(1)
    hung.resolve(undefined)
    await expect.poll(() => files.read(at("secret"), mostOfSecret).catch(() => undefined)).toBe("sk-a")
    expect(looks).toBe(1)
  })

  it("that waits behind one that does not answer is not read later for nobody", async () => {
    writeFileSync(at("secret"), "sk-a")
    const hung = Promise.withResolvers<undefined>()
    const looks: Array<string> = []
    class Hanging extends RegularFiles {
      slow = (name: string, work: () => Promise<undefined>) => this.run(at(name), () => (looks.push(name), work()))
    }
    const files = new Hanging(50)
    const both = [files.slow("first", () => hung.promise), files.slow("second", () => Promise.resolve(undefined))]
    for (const one of both) await expect(one).rejects.toMatchObject({ isSilent: true })
    hung.resolve(undefined)
    await expect.poll(() => files.read(at("secret"), mostOfSecret).catch(() => undefined)).toBe("sk-a")
    expect(looks).toEqual(["first"])
  })
})
