// Read QR codes with the telephone's camera, where the browser can (BarcodeDetector).

import { t } from "../base/text.js";

const EVERY_MS = 150;

/** Show `button` if the browser can read QR codes; call `read(code)` with the first one read. */
export async function camera(button, view, read) {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices?.getUserMedia) return;
  if (!(await BarcodeDetector.getSupportedFormats()).includes("qr_code")) return;
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  let stream = null;
  button.hidden = false;
  button.textContent = t("camera_open");

  function close() {
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    view.hidden = true;
    button.textContent = t("camera_open");
  }

  async function look() {
    while (stream) {
      const [code] = await detector.detect(view).catch(() => []);
      if (code && stream) {
        close();
        // A QR code holds an address that ends in #code, or the code alone.
        read(code.rawValue.split("#").at(-1));
        return;
      }
      await new Promise((done) => setTimeout(done, EVERY_MS));
    }
  }

  button.addEventListener("click", async () => {
    if (stream) { close(); return; }
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    } catch {
      button.textContent = t("camera_refused");
      button.disabled = true;
      return;
    }
    view.srcObject = stream;
    view.hidden = false;
    button.textContent = t("camera_close");
    await view.play();
    look();
  });
}
