// Bundle src/ into dist/ (or into the folder given), and list the licences of what is bundled in LICENSES.txt beside it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
// Pages hold the bundle alone, without LICENSES.txt: it begins with the notice of the licence, which all libraries share.
const notice = (name) => readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8");
const holders = ["preact", "@preact/signals", "uplot"].map((name) => `${name}: ${notice(name).match(/Copyright .*/)[0]}`);
const banner = `/*! structkin's web view. It contains\n${holders.join("\n")}\n\n${notice("preact").replace(/Copyright .*\n\n?/, "").trim()} */`;
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { structkin: "src/index.ts", widget: "src/widget.ts", studio: "src/studio/index.tsx" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  banner: { js: banner },
  metafile: true,
  logLevel: "warning",
});

const names = new Set(
  Object.keys(metafile.inputs)
    .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter(Boolean),
);
const parts = [...names].sort().map((name) => {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version}: ${license}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
});
const rule = `\n${"-".repeat(80)}\n\n`;
writeFileSync(
  join(here, "LICENSES.txt"),
  `The files in dist/ contain structkin's own code (MIT) and these libraries.\n${rule}${parts.join(rule)}`,
);
