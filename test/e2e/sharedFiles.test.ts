import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { startBucket, withoutBucket } from "../files/bucketServer.ts"
import type { BucketServer } from "../files/bucketServer.ts"
import { engines } from "../sql/engines.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { saying, startSource, whole } from "../videos/custody/source.ts"
import type { Source } from "../videos/custody/source.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const tasks = "/api/v3/contents/generations/tasks"
const postgres = engines.find(({ name }) => name === "postgres")
const video = Buffer.concat([Buffer.from("\0\0\0\x18ftypisom", "latin1"), Buffer.alloc(12 * 1024 ** 2, "abcdefg")])

describe.skipIf(withoutBucket("test/e2e/sharedFiles.test.ts") || postgres === undefined)(
  "nodes with one database and one bucket",
  () => {
    const scope = Effect.runSync(Scope.make())
    const folders: Array<string> = []
    const nodes: Array<GatewayProcess> = []
    let bucket: BucketServer
    let source: Source
    let media: ReturnType<typeof fakeArk>
    let database: Bun.SQL
    beforeAll(async () => {
      bucket = await startBucket()
      source = await startSource()
      media = fakeArk({ media: source.link("") })
      const url = await Effect.runPromise(Scope.extend(postgres?.url ?? Effect.die("none"), scope))
      database = new Bun.SQL({ url, max: 1 })
      for (const name of ["one", "other"]) {
        const folder = mkdtempSync(join(tmpdir(), `gateway-${name}-`))
        folders.push(folder)
        writeFileSync(
          join(folder, "gateway.yaml"),
          `upstreams: { ark: { protocol: ark-video, base_url: "${media.baseUrl}", api_key: ${arkKey} } }
models: { seedance: { routes: [{ upstream: ark, model: seedance-1 }] } }
custody: { keep: 30d }
callbacks: { allow: [127.0.0.0/8] }
`
        )
        nodes.push(
          await startGateway({
            folder,
            env: {
              ...bucket.env,
              GATEWAY_DATABASE_URL: url,
              GATEWAY_SECRET: "one secret of all the nodes, long enough",
              GATEWAY_PUBLIC_URL: "https://gateway.example.com"
            }
          })
        )
      }
    })
    afterAll(async () => {
      await Promise.all(nodes.map((node) => node.dispose()))
      await database?.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await Promise.all([bucket?.stop(), media?.stop()])
      source?.stop()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    })

    // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
    const ask = async (node: GatewayProcess | undefined, path: string, body?: object): Promise<any> => {
      const headers = { authorization: `Bearer ${node?.key}`, "content-type": "application/json" }
      const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) }
      return (await fetch(`${node?.url}${path}`, init)).json()
    }

    it("a copy of a node that is killed is made by another, and read at any", async () => {
      const { id } = await ask(nodes[0], tasks, { model: "seedance", content: [{ type: "text", text: "a cat" }] })
      await expect.poll(() => media.tasks.length).toBe(1)
      const [made] = media.tasks
      source.answer(`/${made?.id}.mp4`, saying(video.length, video.subarray(0, 9 * 1024 ** 2), "stays open"))
      media.move(made?.id ?? "", "succeeded")
      await expect.poll(bucket.hasOpenUploads).toBe(true)
      const [holder] = await database.unsafe(
        "SELECT nodes.pid FROM custody JOIN nodes ON nodes.id = custody.lease_owner"
      )
      const dead = nodes.find(({ pid }) => pid === Number(holder.pid))
      const living = nodes.find((node) => node !== dead)
      expect(dead).toBeDefined()
      source.answer(`/${made?.id}.mp4`, whole(video))
      dead?.signal("SIGKILL")
      await dead?.exited
      const look = async () => (await ask(living, `${tasks}/${id}`)).content?.video_url ?? ""
      await expect.poll(look).toContain("https://gateway.example.com/files/")
      const { pathname } = new URL(await look())
      const there = await fetch(`${living?.url}${pathname}`)
      expect(Buffer.from(await there.bytes()).equals(video)).toBe(true)
    })
  }
)
