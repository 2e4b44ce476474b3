// SPDX-License-Identifier: MIT
//
// A headless Chromium that is spoken to through pipes (file descriptors 3 and 4): messages of the
// DevTools protocol, ended by 0 bytes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function openBrowser(program) {
  const profile = mkdtempSync(join(tmpdir(), "carrierscope-page-"));
  const child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , down, up] = child.stdio;
  const waiting = new Map();
  const listeners = [];
  let serial = 0;
  let buffer = "";
  const gone = new Promise((_, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`the browser ended: ${code}`)));
  });
  gone.catch(() => {});
  up.setEncoding("utf8");
  up.on("data", (text) => {
    const parts = (buffer + text).split("\0");
    buffer = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      const answer = waiting.get(message.id);
      if (answer) {
        waiting.delete(message.id);
        if (message.error) answer.reject(new Error(message.error.message));
        else answer.resolve(message.result);
      } else {
        listeners.forEach((listener) => listener(message));
      }
    }
  });
  const send = (method, params = {}, sessionId = undefined) => Promise.race([gone, new Promise((resolve, reject) => {
    waiting.set(++serial, { resolve, reject });
    down.write(`${JSON.stringify({ id: serial, method, params, sessionId })}\0`);
  })]);

  async function openPage(url, { width, height = 900, dark = false, media = "screen", scripts = true, complaints }) {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const call = (method, params) => send(method, params, sessionId);
    // The empty page that a target begins with has a load event, too: that of our page has its loader.
    const loaded = new Set();
    let onLoad = () => {};
    listeners.push((message) => {
      if (message.sessionId !== sessionId) return;
      if (message.method === "Page.lifecycleEvent" && message.params.name === "load") {
        loaded.add(message.params.loaderId);
        onLoad();
      }
      if (message.method === "Runtime.exceptionThrown") complaints.push(message.params.exceptionDetails.exception?.description ?? message.params.exceptionDetails.text);
      if (message.method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(message.params.type)) {
        complaints.push(message.params.args.map((argument) => argument.value).join(" "));
      }
      if (message.method === "Log.entryAdded" && message.params.entry.level === "error") complaints.push(message.params.entry.text);
    });
    await call("Page.enable");
    await call("Page.setLifecycleEventsEnabled", { enabled: true });
    await call("Runtime.enable");
    await call("Log.enable");
    await call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
    await call("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    if (!scripts) await call("Emulation.setScriptExecutionDisabled", { value: true });
    const { loaderId } = await call("Page.navigate", { url });
    await Promise.race([gone, new Promise((resolve) => {
      onLoad = () => { if (loaded.has(loaderId)) resolve(); };
      onLoad();
    })]);
    const ask = async (expression) => {
      const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    // Until the expression is true in the page; false after three minutes.
    const waitFor = async (expression) => {
      for (const end = Date.now() + 180000; !await ask(expression);) {
        if (Date.now() > end) return false;
        await new Promise((done) => { setTimeout(done, 20); });
      }
      return true;
    };
    return {
      ask,
      waitFor,
      mouse: (type, x, y, more = {}) => call("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1, ...more }),
      // A character, Enter or Escape.
      key: async (key) => {
        const named = { Enter: { windowsVirtualKeyCode: 13, text: "\r" }, Escape: { windowsVirtualKeyCode: 27 } }[key] ?? { text: key };
        await call("Input.dispatchKeyEvent", { type: "keyDown", key, ...named });
        await call("Input.dispatchKeyEvent", { type: "keyUp", key, ...named, text: undefined });
      },
      text: async () => {
        const { root } = await call("DOM.getDocument", { depth: 0 });
        return (await call("DOM.getOuterHTML", { nodeId: root.nodeId })).outerHTML;
      },
      // clip: x, y, width, height and scale.
      picture: async (whole = true, clip = undefined) => Buffer.from((await call("Page.captureScreenshot", { captureBeyondViewport: whole, clip })).data, "base64"),
      close: () => send("Target.closeTarget", { targetId }),
    };
  }

  async function close() {
    const ended = new Promise((resolve) => child.on("exit", resolve));
    await send("Browser.close").catch(() => child.kill());
    await ended;
    // Its helpers end after it, and write until then.
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
  return { openPage, close };
}
