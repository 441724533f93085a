import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "vitest"
import { processFindings } from "../../../src/commands/doctor/processFindings.ts"
import { program } from "../program.ts"
import { problemsOf } from "./report.ts"
import type { Report } from "./report.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-machine-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs `gateway doctor --json` as `"$@"` of a shell's line. */
const doctorBy = async (line: string, env: Record<string, string> = {}, shell = ["bash"]) => {
  const command = [...shell, "-c", line, "bash", ...program(), "doctor", "--json"]
  const child = Bun.spawn(command, {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, GATEWAY_PORT: "1", ...env }
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  expect(out, err).toMatch(/^\{/)
  const report: Report = JSON.parse(out)
  return { code, report }
}

const isRoot = process.getuid?.() === 0
const mounts = isRoot && Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0
const faketime = ["x86_64", "aarch64"]
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path))
for (const [name, isThere] of [
  ["root, for mounts and users", mounts],
  ["libfaketime (Debian's faketime)", faketime !== undefined]
] as const) {
  if (!isThere) console.log(`SKIPPED: a part of test/e2e/doctor/machine.test.ts, there is no ${name} here`)
}

describe("gateway doctor, of the machine", () => {
  it("names low limits of the process", async () => {
    const { code, report } = await doctorBy('ulimit -n 300; ulimit -f 2000; exec "$@"')
    expect(code).toBe(1)
    const [files] = problemsOf(report, "open files")
    expect(files?.message).toContain("300 at once")
    expect(files?.remedy).toContain("LimitNOFILE")
    const [size] = problemsOf(report, "file size")
    expect(size?.message).toContain(`at most ${2000 * 1024} bytes`)
    expect(size?.remedy).toContain("LimitFSIZE")
    // A container's own limit can't be set here.
    const [, memory] = processFindings(2, 65_536, 256 * 1024 ** 2, Infinity)
    expect([memory?.level, memory?.remedy]).toEqual(["problem", expect.stringContaining("server.workers")])
    expect(processFindings(1, 65_536, 2 ** 30, Infinity).map(({ level }) => level)).toEqual(["ok", "ok"])
  })

  it.skipIf(!mounts)(
    "names a full disk, and one that is read only",
    async () => {
      const disk = join(folder, "disk")
      mkdirSync(disk)
      const env = { GATEWAY_DATA_DIRECTORY: disk, GATEWAY_DATABASE_URL: "sqlite::memory:" }
      // Its mounts end with it.
      const apart = ["unshare", "-m", "bash"]
      const mount = (options: string) => `mount -t tmpfs -o ${options} none ${disk}`
      const full = await doctorBy(
        `${mount("size=1m")}; head -c 2000000 /dev/zero >${disk}/fill 2>&1; exec "$@"`,
        env,
        apart
      )
      const [problem] = problemsOf(full.report, "data directory")
      expect(problem?.message).toContain("the disk is full")
      expect(problem?.remedy).toContain("GATEWAY_DATA_DIRECTORY")
      const locked = await doctorBy(`${mount("ro")}; exec "$@"`, env, apart)
      expect(problemsOf(locked.report, "data directory")[0]?.message).toContain("EROFS")
    },
    30_000
  )

  it.skipIf(!isRoot)("tells that it runs as another user than the gateway", async () => {
    const data = join(folder, "others")
    mkdirSync(data, { mode: 0o700 })
    chownSync(data, 12_345, 12_345)
    const env = { GATEWAY_DATABASE_URL: `sqlite:${data}/gateway.db` }
    const root = await doctorBy('exec "$@"', env)
    expect(root.code).toBe(0)
    const asRoot = root.report.findings.find(({ check }) => check === "data directory")
    expect([asRoot?.level, asRoot?.message]).toEqual(["warning", expect.stringContaining("uid 12345's")])
    const other = await doctorBy('exec setpriv --reuid 12346 --clear-groups "$@"', env)
    for (const check of ["data directory", "database"]) {
      expect(problemsOf(other.report, check)[0]?.message, check).toContain("EACCES")
    }
    expect(problemsOf(other.report, "data directory")[0]?.remedy).toContain("run it as the gateway's user")
  })

  it.skipIf(faketime === undefined || inject("postgres") === undefined)("names a clock that differs", async () => {
    const by = (offset: string) =>
      doctorBy('exec "$@"', {
        GATEWAY_DATABASE_URL: inject("postgres") ?? "",
        LD_PRELOAD: faketime ?? "",
        FAKETIME: offset,
        FAKETIME_DONT_FAKE_MONOTONIC: "1"
      })
    const [ahead, behind] = [await by("+90s"), await by("-4s")]
    const [problem] = problemsOf(ahead.report, "clock")
    expect(problem?.message).toMatch(/this machine's is (?:90|89)\.\d s ahead of the database's/)
    expect(problem?.remedy).toContain("NTP")
    const clock = behind.report.findings.find(({ check }) => check === "clock")
    expect([clock?.level, clock?.message]).toEqual(["warning", expect.stringContaining("s behind the database's")])
  })
})
