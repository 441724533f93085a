import type { Mutant } from "./Mutant.ts"

const kept = ["test/files/keptFiles.test.ts"]
const bucket = ["test/files/bucket.test.ts"]
const custody = ["test/videos/custody/custody.test.ts", "test/videos/custody/keeping.test.ts"]
const atAddresses = ["test/guard/callerFiles.test.ts"]
const own = ["test/e2e/ownFiles.test.ts"]

/** Private files. */
export const fileMutants: ReadonlyArray<Mutant> = [
  {
    name: "files: a kept video can be read by others",
    file: "src/files/Folder.ts",
    snippet: 'const handle = await open(part, "wx", 0o600)',
    replacement: 'const handle = await open(part, "wx", 0o644)',
    tests: kept
  },
  {
    name: "files: a kept video's folder can be read by others",
    file: "src/files/Folder.ts",
    snippet: "await mkdir(folder, { recursive: true, mode: 0o700 })",
    replacement: "await mkdir(folder, { recursive: true, mode: 0o755 })",
    tests: kept
  },
  {
    name: "files: the key of kept files can go on to be read by others",
    file: "src/files/KeptFiles.ts",
    snippet: 'yield* ownFiles(join(directory, "kept.key"), ...below(join(directory, kept)))',
    replacement: "",
    tests: kept
  },
  {
    name: "config: a file that others could open is left half open",
    file: "src/config/ownFiles.ts",
    snippet: "chmodSync(path, 0o600)",
    replacement: "chmodSync(path, 0o640)",
    tests: own
  },
  {
    name: "config: the gateway's directory can be read by others",
    file: "src/config/ownFiles.ts",
    snippet: "mkdirSync(path, { recursive: true, mode: 0o700 })",
    replacement: "mkdirSync(path, { recursive: true, mode: 0o755 })",
    tests: own
  },
  {
    name: "config: the database can be read by others",
    file: "src/config/ownFiles.ts",
    snippet: 'closeSync(openSync(path, "a", 0o600))',
    replacement: 'closeSync(openSync(path, "a", 0o644))',
    tests: own
  },
  {
    name: "files: an upload whose source died is taken for whole",
    file: "src/files/checkFile.ts",
    snippet: 'throw cause instanceof NotKept ? cause : new NotKept({ why: "broken", message: String(cause) })',
    replacement: "return undefined as never",
    tests: bucket
  },
  {
    name: "files: a file may be shorter than its source has said",
    file: "src/files/checkFile.ts",
    snippet: "if (declared === undefined || declared === length) return undefined",
    replacement: "return undefined",
    tests: bucket
  },
  {
    name: "custody: where a link has moved to is not checked",
    file: "src/guard/AddressGuard.ts",
    snippet: ": open(next, patience, { range, redirects: redirects - 1 })",
    replacement: ": download({ url: new URL(next), addresses: [new URL(next).hostname] }, patience)",
    tests: custody
  },
  {
    name: "custody: a worker that has lost a copy to another stores it all the same",
    file: "src/videos/custody/store/CustodyStore.ts",
    snippet: "sql`part = ${part}`, sql`lease_token = ${token}`",
    replacement: "sql`part = ${part}`, sql`${token} = ${token}`",
    tests: custody
  },
  {
    name: "custody: a copy that a dead process held waits for its lease",
    file: "src/videos/custody/store/CustodyStore.ts",
    snippet: "freed(sql`lease_owner <> ${node.id()}`)",
    replacement: "freed(sql`lease_owner = ${node.id()}`)",
    tests: custody
  },
  {
    name: "addresses: an endless file is read on",
    file: "src/guard/CallerFiles.ts",
    snippet: "if (size > mostBytes)",
    replacement: "if (size > Infinity)",
    tests: atAddresses
  },
  {
    name: "addresses: the files of a request have no bound together",
    file: "src/guard/CallerFiles.ts",
    snippet: "if (files.bytes > mostOfAll)",
    replacement: "if (files.bytes > Infinity)",
    tests: atAddresses
  },
  {
    name: "addresses: an account's requests have no bound together",
    file: "src/guard/shares.ts",
    snippet: "turns.withPermits(1)(all.withPermits(1)(work))",
    replacement: "all.withPermits(1)(work)",
    tests: atAddresses
  },
  {
    name: "addresses: whatever is there goes to the model as an image",
    file: "src/guard/CallerFiles.ts",
    snippet:
      'if (mediaType === undefined) return yield* unread("expected a PNG, JPEG, GIF or WebP image or a PDF there")',
    replacement: "",
    tests: atAddresses
  }
]
