import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startBucket, withoutBucket } from "../files/bucketServer.ts"
import type { BucketServer } from "../files/bucketServer.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { saying, startSource, whole } from "../videos/custody/source.ts"
import type { Source } from "../videos/custody/source.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const tasks = "/api/v3/contents/generations/tasks"
const publicUrl = "https://gateway.example.com"
/** 12 MB, which is more than a part of an upload. */
const video = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(12 * 1024 ** 2, "abcdefg")])

describe.skipIf(withoutBucket("test/e2e/files.test.ts"))("gateways with one bucket", () => {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "gateway-files-")))
  const nodes: Array<GatewayProcess> = []
  let bucket: BucketServer
  let source: Source
  let ark: ReturnType<typeof fakeArk>
  const start = (at: number) =>
    startGateway({
      folder: folders[at] ?? "",
      env: { ...bucket.env, GATEWAY_PUBLIC_URL: publicUrl, GATEWAY_SECRET: "one secret of all the nodes, long enough" }
    })

  beforeAll(async () => {
    bucket = await startBucket()
    source = await startSource()
    ark = fakeArk({ media: source.link("") })
    for (const folder of folders) {
      writeFileSync(
        join(folder, "gateway.yaml"),
        `upstreams: { ark: { protocol: ark-video, base_url: "${ark.baseUrl}", api_key: ${arkKey} } }
models: { seedance: { routes: [{ upstream: ark, model: seedance-1 }] } }
custody: { keep: 30d }
callbacks: { allow: [127.0.0.0/8] }
`
      )
    }
    nodes.push(...(await Promise.all([start(0), start(1)])))
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()))
    await Promise.all([bucket?.stop(), ark?.stop()])
    source?.stop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  const node = (at: number): GatewayProcess => nodes[at] ?? expect.fail("it does not run")
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const ask = async (at: number, method: string, path: string, body?: object): Promise<any> => {
    const { key, url } = node(at)
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    return (await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json()
  }
  const create = async (at: number, model: string, text: string): Promise<string> =>
    (await ask(at, "POST", tasks, { model, content: [{ type: "text", text }], resolution: "480p", frames: 29 })).id
  /** The path of the task's own link, once it has one. */
  const linkOf = async (at: number, id: string): Promise<string> => {
    let link = ""
    await expect
      .poll(async () => {
        link = (await ask(at, "GET", `${tasks}/${id}`)).content?.video_url ?? ""
        return link
      })
      .toContain(`${publicUrl}/files/`)
    return link.slice(publicUrl.length)
  }
  /** A task whose video the upstream has just finished. */
  const finished = async (at: number): Promise<string> => {
    const before = ark.tasks.length
    const id = await create(at, "seedance", "a cat")
    await expect.poll(() => ark.tasks.length).toBe(before + 1)
    ark.move(ark.tasks[before]?.id ?? "", "succeeded")
    return id
  }

  it("serve each other's links: what one rendered, and what one copied, whole and in parts", async () => {
    const rendered = await linkOf(0, await create(0, "sandbox-video", "a cat"))
    const own = await (await fetch(`${node(0).url}${rendered}`)).bytes()
    expect(own.length).toBeGreaterThan(1_000)
    source.answer(`/${arkIds(ark.tasks.length)}.mp4`, whole(video))
    const copied = await linkOf(0, await finished(0))
    for (const [path, bytes] of [
      [rendered, own],
      [copied, video]
    ] as const) {
      const there = await fetch(`${node(1).url}${path}`)
      expect(there.status).toBe(200)
      expect(there.headers.get("content-type")).toBe("video/mp4")
      // Bun tells no length of what it streams.
      expect(there.headers.get("content-length")).toBe(bytes === own ? String(bytes.length) : null)
      expect(Buffer.from(await there.bytes()).equals(bytes)).toBe(true)
      const part = await fetch(`${node(1).url}${path}`, { headers: { range: "bytes=-10" }, redirect: "manual" })
      expect(part.status).toBe(206)
      expect(part.headers.get("content-length")).toBe("10")
      expect(part.headers.get("content-range")).toBe(`bytes ${bytes.length - 10}-${bytes.length - 1}/${bytes.length}`)
      expect(Buffer.from(await part.bytes()).equals(bytes.subarray(-10))).toBe(true)
      expect((await fetch(`${node(1).url}${path.replace("video.", "other.")}`)).status).toBe(404)
      expect((await fetch(`${node(1).url}${path.replace("/files/", "/files/x")}`)).status).toBe(404)
    }
  })

  it("a copy in whose middle the process is killed is begun again, and is whole", async () => {
    const name = `/${arkIds(ark.tasks.length)}.mp4`
    source.answer(name, saying(video.length, video.subarray(0, 9 * 1024 ** 2), "stays open"))
    const id = await finished(1)
    // Some of it is at the bucket by now.
    await expect.poll(bucket.hasOpenUploads).toBe(true)
    const before = await bucket.keys()
    node(1).signal("SIGKILL")
    await node(1).exited
    expect(await bucket.keys()).toEqual(before)
    source.answer(name, whole(video))
    nodes[1] = await start(1)
    const path = await linkOf(1, id)
    expect(Buffer.from(await (await fetch(`${node(0).url}${path}`)).bytes()).equals(video)).toBe(true)
    expect(source.asked.filter((asked) => asked === name)).toHaveLength(2)
    expect(await bucket.keys()).toHaveLength(before.length + 1)
    for (const { output } of nodes) expect(output()).not.toContain("planted-bucket-secret")
  })

  it("go on while the bucket is away, which they tell; copies are made and links work once it is back", async () => {
    const ready = async () => {
      const answer = await fetch(`${node(0).url}/readyz`)
      return `${answer.status} ${(await answer.json()).files}`
    }
    source.answer(`/${arkIds(ark.tasks.length)}.mp4`, whole(video))
    expect(await ready()).toBe("200 ok")
    await bucket.stop()
    const id = await finished(0)
    await expect.poll(ready).toBe("200 away")
    expect((await ask(0, "GET", `${tasks}/${id}`)).content.video_url).toContain(source.link(""))
    const link = `/files/${"a".repeat(43)}/video.mp4`
    expect((await fetch(`${node(0).url}${link}`)).status).toBe(500)
    await bucket.start()
    const path = await linkOf(0, id)
    expect(await ready()).toBe("200 ok")
    expect((await fetch(`${node(1).url}${path}`)).status).toBe(200)
    expect((await fetch(`${node(0).url}${link}`)).status).toBe(404)
  })

  it("one whose bucket is not there does not start, and says why in a line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-files-"))
    const failed = await startGateway({ folder, env: { ...bucket.env, GATEWAY_FILES: "s3://nowhere" } }).then(
      () => "it started",
      String
    )
    rmSync(folder, { recursive: true })
    expect(failed).toContain("files: s3://nowhere: there is no such bucket; the gateway does not create it")
  })
})

/** The id of the fake's task of this number. */
const arkIds = (at: number) => `cgt-20260606160057-${String(at).padStart(5, "a")}`
