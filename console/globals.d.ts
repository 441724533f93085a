/** Replaced while the page is built. */
declare const process: { readonly env: { readonly NODE_ENV: "production" | "development" } }
