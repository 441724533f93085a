import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI, { toFile } from "openai"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"

const secretOf = (name: string) => `${name}-key-0123456789abcdefghijklmn`

describeOnEach("files of accounts", (engine) => {
  let gateway: GatewayHere
  const openai = (name: string) => new OpenAI({ apiKey: secretOf(name), baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  const anthropic = (name: string) => new Anthropic({ apiKey: secretOf(name), baseURL: gateway.url, maxRetries: 0 })
  const upload = (name: string, content: string, file = "notes.txt") =>
    openai(name).files.create({ file: new File([content], file), purpose: "user_data" })
  const left = () => {
    const folder = join(gateway.folder, "data/stored")
    return existsSync(folder) ? readdirSync(folder) : []
  }

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-files-"))
    const keys = ["one", "two", "small"].map((name) => ({ name, secret: secretOf(name), account: name }))
    const accounts = { small: { files_bytes: 1_000 } }
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ keys, accounts }))
    gateway = await startGateway({ folder, env: await gatewayEnv(`files-${engine.name}`) })
  })
  afterAll(() => gateway.dispose())

  it("OpenAI's client stores, finds, lists, reads and deletes one", async () => {
    const client = openai("one")
    const made = await client.files.create({
      file: await toFile(Buffer.from('{"a":1}\n'), "lines.jsonl"),
      purpose: "batch",
      expires_after: { anchor: "created_at", seconds: 3_600 }
    })
    expect(made).toMatchObject({
      object: "file",
      bytes: 8,
      filename: "lines.jsonl",
      purpose: "batch",
      status: "processed"
    })
    expect(made.id).toMatch(/^file_[0-9a-f]{32}$/)
    expect((made.expires_at ?? 0) - made.created_at).toBe(3_600)
    expect(await client.files.retrieve(made.id)).toEqual(made)
    expect((await client.files.list({ purpose: "batch" })).data).toEqual([made])
    expect((await client.files.list({ purpose: "vision" })).data).toEqual([])
    const read = await client.files.content(made.id)
    expect(await read.text()).toBe('{"a":1}\n')
    expect(Object.fromEntries(read.headers)).toMatchObject({
      "content-type": "application/jsonl",
      "content-disposition": `attachment; filename="lines.jsonl"; filename*=UTF-8''lines.jsonl`,
      "x-content-type-options": "nosniff"
    })
    expect(await client.files.delete(made.id)).toEqual({ id: made.id, object: "file", deleted: true })
    await expect(client.files.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
    await expect(client.files.content(made.id)).rejects.toMatchObject({ status: 404 })
    expect(left()).toEqual([])
  })

  it("Anthropic's client does too, in its own shapes", async () => {
    const client = anthropic("one")
    const made = await client.beta.files.upload({
      file: new File(["%PDF-1.7 …"], "paper.pdf", { type: "text/html" }),
      expires_in_seconds: 7_776_000
    })
    expect(Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)).toBe(7_776_000_000)
    expect(made).toMatchObject({
      type: "file",
      filename: "paper.pdf",
      mime_type: "application/pdf",
      size_bytes: 12,
      downloadable: true
    })
    expect(new Date(made.created_at).toISOString()).toBe(made.created_at)
    expect(await client.beta.files.retrieveMetadata(made.id)).toEqual(made)
    expect((await client.beta.files.list()).data).toEqual([made])
    expect(await (await client.beta.files.download(made.id)).text()).toBe("%PDF-1.7 …")
    expect(await client.beta.files.delete(made.id)).toEqual({ id: made.id, type: "file_deleted" })
    await expect(client.beta.files.retrieveMetadata(made.id)).rejects.toMatchObject({
      status: 404,
      error: { error: { type: "not_found_error" } }
    })
  })

  it("pages go both ways", async () => {
    const ids: Array<string> = []
    for (const name of ["a", "b", "c", "d", "e"]) ids.push((await upload("two", name)).id)
    const paged: Array<string> = []
    for await (const { id } of openai("two").files.list({ limit: 2, order: "asc" })) paged.push(id)
    expect(paged).toEqual(ids)
    const newest: Array<string> = []
    for await (const { id } of anthropic("two").beta.files.list({ limit: 2 })) newest.push(id)
    expect(newest).toEqual(ids.toReversed())
    const before = await fetch(`${gateway.url}/v1/files?limit=2&before_id=${ids[0]}`, {
      headers: { "x-api-key": secretOf("two"), "anthropic-version": "2023-06-01" }
    })
    expect(await before.json()).toMatchObject({
      data: [{ id: ids[2] }, { id: ids[1] }],
      first_id: ids[2],
      last_id: ids[1],
      has_more: true
    })
    expect(await anthropic("two").beta.files.list({ ids: [ids[3] ?? "", "file_x", ids[1] ?? ""] })).toMatchObject({
      data: [{ id: ids[3] }, { id: ids[1] }],
      next_page: null
    })
  })

  it("another account's is unknown to every way", async () => {
    const { id } = await upload("one", "mine")
    const other = openai("two")
    for (const way of ["retrieve", "content", "delete"] as const) {
      await expect(other.files[way](id)).rejects.toMatchObject({ status: 404 })
    }
    await expect(other.files.list({ after: id })).rejects.toMatchObject({ status: 400, param: "after" })
    expect(await (await openai("one").files.content(id)).text()).toBe("mine")
  })

  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\windows\\system.ini", "system.ini"],
    ["a‮fdp.exe", "afdp.exe"],
    ["..", "file"],
    ["<b>|name?.txt", "bname.txt"]
  ])("of the name %j stays %j", async (given, kept) => {
    const form = new FormData()
    form.set("purpose", "user_data")
    form.set("file", new Blob(["x"]), given)
    const answer = await fetch(`${gateway.url}/v1/files`, {
      method: "POST",
      headers: { authorization: `Bearer ${secretOf("one")}` },
      body: form
    })
    expect(await answer.json()).toMatchObject({ filename: kept })
  })

  it("a page is sent as a text, and never opened as one", async () => {
    const { id } = await upload("one", "<script>alert(1)</script>", "page.html")
    const { headers } = await openai("one").files.content(id)
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      "text/plain",
      "attachment; filename=\"page.html\"; filename*=UTF-8''page.html"
    ])
  })

  it("a quota holds among many at a time, and a deleted file gives its bytes back", async () => {
    const sent = await Promise.allSettled(Array.from({ length: 12 }, () => upload("small", "x".repeat(300))))
    const made = sent.flatMap((end) => (end.status === "fulfilled" ? [end.value.id] : []))
    expect(made).toHaveLength(3)
    for (const end of sent) {
      if (end.status === "rejected") expect(end.reason).toMatchObject({ status: 403, code: "permission_error" })
    }
    await expect(
      anthropic("small").beta.files.upload({ file: new File(["x".repeat(101)], "a") })
    ).rejects.toMatchObject({
      status: 403,
      error: { error: { type: "permission_error" } }
    })
    for (const id of made) await openai("small").files.delete(id)
    await upload("small", "x".repeat(1_000))
  })

  it("refuses what is no file", async () => {
    await expect(upload("one", "")).rejects.toMatchObject({ status: 400, param: "file" })
    const asked = (body: unknown) => openai("one").post("/files", { body })
    await expect(asked({ purpose: "batch", file: "text" })).rejects.toMatchObject({ status: 400, param: "file" })
    const form = new FormData()
    form.set("file", new Blob(["x"]), "x")
    await expect(asked(form)).rejects.toMatchObject({ status: 400, param: "purpose" })
    form.set("purpose", "war")
    await expect(asked(form)).rejects.toMatchObject({ status: 400, param: "purpose" })
  })

  it("parts become a file in the order that is named", async () => {
    const client = openai("one")
    const parts = ["b".repeat(3_000), "a".repeat(2_000), "never named"]
    const whole = `${parts[1]}${parts[0]}`
    const begun = await client.uploads.create({
      filename: "whole.txt",
      purpose: "user_data",
      bytes: whole.length,
      mime_type: "text/html"
    })
    expect(begun).toMatchObject({ object: "upload", status: "pending", bytes: 5_000, file: null })
    const [b = "", a = "", extra = ""] = await Promise.all(
      parts.map(async (data) => (await client.uploads.parts.create(begun.id, { data: new File([data], "part") })).id)
    )
    const complete = (part_ids: Array<string>, md5?: string) =>
      client.uploads.complete(begun.id, { part_ids, ...(md5 !== undefined && { md5 }) })
    await expect(complete([a, b, extra])).rejects.toMatchObject({ status: 400, param: "part_ids" })
    await expect(complete([a, a])).rejects.toMatchObject({ status: 400, param: "part_ids" })
    await expect(complete([a, b], "0".repeat(32))).rejects.toMatchObject({ status: 400, param: "md5" })
    const done = await complete([a, b], createHash("md5").update(whole).digest("hex"))
    expect(done).toMatchObject({ status: "completed", file: { bytes: 5_000, filename: "whole.txt", object: "file" } })
    const id = done.file?.id ?? ""
    expect(await (await client.files.content(id)).text()).toBe(whole)
    expect((await client.files.content(id)).headers.get("content-type")).toBe("text/plain")
    await expect(complete([a, b])).rejects.toMatchObject({ status: 400 })
    expect(readdirSync(join(gateway.folder, "data/stored", id.slice("file_".length)))).toEqual(["content"])
  })

  it("a cancelled upload takes no more parts, leaves nothing and gives its bytes back", async () => {
    const before = left().length
    const client = openai("two")
    const { id } = await client.uploads.create({ filename: "a", purpose: "batch", bytes: 10, mime_type: "text/plain" })
    await expect(client.uploads.parts.create(id, { data: new File(["x".repeat(21)], "part") })).rejects.toMatchObject({
      status: 400,
      param: "data"
    })
    const { id: part } = await client.uploads.parts.create(id, { data: new File(["0123456789"], "part") })
    await expect(openai("one").uploads.complete(id, { part_ids: [part] })).rejects.toMatchObject({ status: 404 })
    expect(left().length).toBe(before + 1)
    expect(await client.uploads.cancel(id)).toMatchObject({ id, status: "cancelled" })
    expect(left().length).toBe(before)
    await expect(client.uploads.complete(id, { part_ids: [part] })).rejects.toMatchObject({ status: 404 })
    await expect(client.uploads.cancel(id)).rejects.toMatchObject({ status: 404 })
  })

  it("a part that comes while its upload is cancelled or completed leaves no bytes behind", async () => {
    const before = left().toSorted()
    const client = openai("two")
    const bytes = 1_000_000
    const part = (id: string) => client.uploads.parts.create(id, { data: new File([new Uint8Array(bytes)], "part") })
    for (let delay = 0; delay < 12; delay++) {
      const words = { filename: "a", purpose: "batch", bytes, mime_type: "text/plain" } as const
      const [one, other] = [await client.uploads.create(words), await client.uploads.create(words)]
      const { id: first } = await part(other.id)
      const late = Promise.allSettled([part(one.id), part(other.id)])
      await Bun.sleep(delay)
      await client.uploads.cancel(one.id)
      const complete = () => client.uploads.complete(other.id, { part_ids: [first] })
      const made = await Promise.allSettled([complete(), complete()])
      const ids = made.flatMap((end) => (end.status === "fulfilled" ? [end.value.file?.id ?? ""] : []))
      expect(ids.length).toBe(1)
      expect(made).toContainEqual({ status: "rejected", reason: expect.objectContaining({ status: 400 }) })
      await late
      const [id = ""] = ids
      expect(readdirSync(join(gateway.folder, "data/stored", id.slice("file_".length)))).toEqual(["content"])
      await client.files.delete(id)
    }
    expect(left().toSorted()).toEqual(before)
  })
})
