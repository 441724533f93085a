import { bundlePage } from "./bundle.ts"
import { packPage } from "./packPage.ts"

/* Writes the pack that the binary and the package ship: `bun src/console/pack.ts dist/console.pack`. */
await Bun.write(process.argv[2] ?? "dist/console.pack", packPage(await bundlePage("production")))
