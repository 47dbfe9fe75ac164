// A camera, two passes and what they show. Far things (planets, orbits) and near things (bodies) have a depth range each.
import { AmbientLight, Color, DirectionalLight, HemisphereLight, type Mesh, PerspectiveCamera, Points, PointsMaterial, BufferGeometry, Float32BufferAttribute, Raycaster, Vector2, Vector3, WebGLRenderer } from 'three';
import type { Theme } from '../app/theme.svelte';
import { attitude, between, type Orbit, panned, position, start, turnedAround, zoomed } from './camera';
import type { Arrow, Quat, Sample, Scene, Vec } from './format';
import { fitted, type Sphere, spheresOf } from './frame';
import { add, dot, inverse, multiply, norm, origin, type Pose, placed, rotate, scaled, subtract, zTo } from './math';
import { Track } from './moving';
import { palettes } from './palette';
import { posesOf, values } from './pose';
import { globeRadius, Stage } from './stage';
import { Trail } from './trail';

const fieldOfView = (38 * Math.PI) / 180;
const horizon = 0.27; // rad, of a camera that sees a craft in low orbit above the edge of its planet
const movement = 350; // ms, of the camera
const fastest = 0.35; // rad, of a wheel from one picture to the next: faster ones would seem to stand

export interface Settings {
  exaggeration: number;
  axes: boolean;
  trails: boolean;
  field: boolean;
  vectors: Set<string>;
}
export interface Label {
  name: string;
  kind: string;
  x: number;
  y: number;
}

export class View {
  readonly scene: Scene;
  readonly canvas: HTMLCanvasElement;
  settings: Settings;
  frames = 0;
  orbit: Orbit = { ...start };
  /** The body that is looked at; empty: a place of the scene. */
  target = '';
  /** The camera turns with the target. */
  riding = false;
  poses = new Map<string, Pose>();

  readonly #renderer: WebGLRenderer;
  readonly #camera = new PerspectiveCamera((fieldOfView * 180) / Math.PI, 1);
  readonly #lamp = new DirectionalLight(0xffffff, 1.7);
  readonly #sun = new DirectionalLight(0xffffff, 2.4);
  readonly #fill = new AmbientLight(0xffffff, 0.35);
  readonly #sky = new HemisphereLight(0xffffff, 0x888888, 1.15);
  readonly #markers: Points<BufferGeometry, PointsMaterial>;
  readonly #marked: string[];
  readonly #trails = new Map<string, { trail: Trail; track: Track }>();
  readonly #angles = new Map<string, number>();
  readonly #reduced: boolean;
  #stage: Stage;
  #theme: Theme;
  #added: Arrow[] = [];
  #sample: Sample = () => undefined;
  #time = 0;
  #before: number | undefined;
  #way: { from: Orbit; to: Orbit; began: number; centre: Vec } | undefined;
  #centre: Vec = [0, 0, 0];
  /** The axes in which the camera goes round: z is up. */
  #base: Quat = [0, 0, 0, 1];
  #scheduled = 0;
  #placed = false;
  #moved = false;
  #drawn: () => void;

  /** Throws where WebGL is missing. `drawn` is called after each picture. */
  constructor(canvas: HTMLCanvasElement, scene: Scene, theme: Theme, settings: Settings, reduced: boolean, drawn: () => void) {
    this.canvas = canvas;
    this.scene = scene;
    this.settings = settings;
    this.#theme = theme;
    this.#reduced = reduced;
    this.#drawn = drawn;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'low-power' });
    this.#renderer.autoClear = false;
    this.#stage = new Stage(scene, palettes[theme], this.#loaded);
    this.#marked = scene.bodies.filter((b) => b.kind === 'craft' || b.kind === 'planet' || globeRadius(b) > 0).map((b) => b.name);
    const places = new BufferGeometry();
    places.setAttribute('position', new Float32BufferAttribute(new Float32Array(3 * Math.max(1, this.#marked.length)), 3));
    this.#markers = new Points(places, new PointsMaterial({ size: 7, sizeAttenuation: false }));
    this.#markers.frustumCulled = false;
    this.#markers.raycast = () => {};
    this.#light();
    this.target = this.#main();
  }

  /** The body that the camera follows at first: the one craft, if it flies. */
  #main(): string {
    const crafts = this.scene.bodies.filter((b) => b.kind === 'craft' && b.parent === undefined);
    const inOrbit = crafts.filter((b) => b.orbit);
    if (inOrbit.length > 0) return inOrbit[0].name;
    return crafts.length === 1 ? crafts[0].name : '';
  }

  #light(): void {
    const palette = palettes[this.#theme];
    this.#sky.color = new Color(palette.sky);
    this.#sky.groundColor = new Color(palette.soil);
    this.#sky.position.set(0, 0, 1);
    this.#markers.material.color = new Color(palette.marker);
    this.#stage.near.add(this.#sky, this.#lamp, this.#lamp.target);
    this.#stage.far.add(this.#fill, this.#sun, this.#sun.target, this.#markers);
    for (const { track } of this.#trails.values()) this.#stage.near.add(track.object);
    this.#renderer.setClearColor(palette.background);
  }

  show(theme: Theme): void {
    if (theme === this.#theme) return;
    this.#theme = theme;
    this.#stage.dispose();
    this.#stage = new Stage(this.scene, palettes[theme], this.#loaded);
    this.#stage.add(this.#added);
    this.#light();
    this.schedule();
  }

  /** Arrows besides those of the scene. */
  add(arrows: Arrow[]): void {
    this.#added = arrows;
    this.#stage.add(arrows);
    this.schedule();
  }

  /** A file has come: the camera shows the whole of it, unless it was moved. */
  #loaded = (): void => {
    if (this.#placed && !this.#moved) this.home(false);
    this.schedule();
  };

  /** Files that cannot be drawn: the bodies, and why. */
  faults(): { body: string; why: string }[] {
    return [...this.#stage.bodies.values()].flatMap((d) => d.files.flatMap((f) => (f.fault === undefined ? [] : [{ body: d.body.name, why: f.fault }])));
  }

  /** Bodies that are drawn from files: the first vertex of each, in the axes of the scene. */
  vertices(): Record<string, Vec> {
    const eye = this.#eye().p;
    const all: Record<string, Vec> = {};
    for (const d of this.#stage.bodies.values())
      for (const { object } of d.files) {
        const mesh = object?.getObjectByProperty('isMesh', true) as Mesh | undefined;
        if (!mesh) continue;
        mesh.updateWorldMatrix(true, false);
        all[d.body.name] = add(mesh.localToWorld(new Vector3().fromBufferAttribute(mesh.geometry.getAttribute('position'), 0)).toArray() as Vec, eye);
      }
    return all;
  }

  /** What the graphics card holds. */
  memory = (): { geometries: number; textures: number } => ({ ...this.#renderer.info.memory });

  arrows = (): Record<string, Vec> => this.#stage.arrows();

  resize(width: number, height: number): void {
    this.#renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / Math.max(height, 1);
    this.schedule();
  }

  /** The values of a time. */
  update(time: number, sample: Sample): void {
    this.#time = time;
    this.#sample = sample;
    this.schedule();
  }

  schedule(): void {
    if (this.#scheduled === 0) this.#scheduled = requestAnimationFrame((now) => this.#draw(now));
  }

  #conditions() {
    return {
      sample: this.#sample,
      time: this.#time,
      exaggeration: this.settings.exaggeration,
      spun: (body: string, step: number) => this.#angles.get(`${body} ${step}`) ?? 0,
    };
  }

  #spin(): void {
    const passed = this.#before === undefined ? 0 : this.#time - this.#before;
    this.#before = this.#time;
    if (passed === 0 || this.#reduced) return;
    for (const body of this.scene.bodies)
      body.pose.forEach((step, i) => {
        if (!('speed' in step)) return;
        const speed = values(step.speed, this.#sample, this.#time)?.[0] ?? 0;
        const by = Math.max(-fastest, Math.min(fastest, speed * passed));
        const key = `${body.name} ${i}`;
        this.#angles.set(key, ((this.#angles.get(key) ?? 0) + by) % (2 * Math.PI));
      });
  }

  /** The camera in the axes of the scene. */
  #eye(): { p: Vec; q: Quat; at: Vec } {
    const of = this.target === '' ? undefined : this.poses.get(this.target);
    const base: Quat = this.riding && of ? of.q : this.#base;
    const at = add(of?.p ?? this.#centre, rotate(base, this.orbit.shift));
    return { p: add(of?.p ?? this.#centre, rotate(base, position(this.orbit))), q: multiply(base, attitude(this.orbit)), at };
  }

  #draw(now: number): void {
    this.#scheduled = 0;
    this.#spin();
    const c = this.#conditions();
    this.poses = posesOf(this.scene, c);
    if (!this.#placed && this.canvas.clientWidth > 0) this.home(false);
    if (this.#way) {
      const share = this.#reduced ? 1 : Math.min(1, (now - this.#way.began) / movement);
      this.orbit = between(this.#way.from, this.#way.to, share);
      if (share < 1) this.schedule();
      else this.#way = undefined;
    }
    const eye = this.#eye();
    this.#stage.place(this.poses, eye.p, this.orbit.distance, this.settings, c);
    this.#trace(eye.p);
    this.#mark(eye.p);
    this.#shine(eye);
    this.#camera.quaternion.set(...eye.q);
    this.#render(eye);
    ++this.frames;
    this.#drawn();
  }

  #render(eye: { p: Vec; q: Quat }): void {
    const forward = rotate(eye.q, [0, 0, -1]);
    let nearest = Infinity, farthest = 0, farNear = Infinity, farFar = 0;
    for (const d of this.#stage.bodies.values()) {
      const at = subtract(this.poses.get(d.body.name)!.p, eye.p);
      const depth = dot(at, forward);
      const globe = globeRadius(d.body);
      if (globe > 0) {
        farNear = Math.min(farNear, Math.max(norm(at) - 1.03 * globe, 1e-3 * globe));
        farFar = Math.max(farFar, norm(at) + 1.03 * globe);
      }
      if (d.body.kind === 'planet') continue;
      const radius = 2.2 * d.radius;
      if (depth + radius > 0) nearest = Math.min(nearest, depth - radius);
      farthest = Math.max(farthest, depth + radius);
      farFar = Math.max(farFar, norm(at) * 1.01);
    }
    this.#renderer.clear();
    if (farFar > 0) {
      this.#camera.near = Math.max(Math.min(farNear, farFar) * 0.05, farFar * 1e-6);
      this.#camera.far = farFar * 3;
      this.#camera.updateProjectionMatrix();
      this.#renderer.render(this.#stage.far, this.#camera);
      this.#renderer.clearDepth();
    }
    const far = Math.max(farthest * 1.5, this.orbit.distance * 60);
    this.#camera.near = Math.max(Math.min(nearest, this.orbit.distance) * 0.5, this.orbit.distance * 2e-3, far * 1e-6);
    this.#camera.far = far;
    this.#camera.updateProjectionMatrix();
    this.#renderer.render(this.#stage.near, this.#camera);
  }

  #shine(eye: { p: Vec; q: Quat; at: Vec }): void {
    this.#lamp.position.set(...rotate(eye.q, [-0.45, 0.75, 0.9]));
    const sun = this.scene.sun ? (values(this.scene.sun.by, this.#sample, this.#time) as Vec | undefined) : undefined;
    // without a Sun the planets are lit from the camera, so that no night is invented
    const from = sun && norm(sun) > 0 ? scaled(sun, 1 / norm(sun)) : rotate(eye.q, [-0.3, 0.4, 0.85]);
    this.#sun.position.set(...from);
    this.#sun.intensity = sun ? 2.6 : 2;
    this.#fill.intensity = sun ? 0.35 : 0.9;
  }

  #trace(eye: Vec): void {
    for (const body of this.scene.bodies) {
      if (body.kind !== 'craft' || body.orbit || body.pose.length === 0 || body.name === this.target) continue;
      let own = this.#trails.get(body.name);
      if (!own) {
        own = { trail: new Trail(), track: new Track(700, palettes[this.#theme].trail, 0.9) };
        this.#trails.set(body.name, own);
        this.#stage.near.add(own.track.object);
      }
      own.trail.note(this.#time, this.poses.get(body.name)!.p);
      own.track.object.visible = this.settings.trails && own.trail.points.length > 1;
      if (own.track.object.visible) own.track.update(own.trail.points, eye);
    }
  }

  /** Points where bodies are too small to be seen. */
  #mark(eye: Vec): void {
    const at = this.#markers.geometry.getAttribute('position');
    const pixel = (2 * Math.tan(fieldOfView / 2)) / Math.max(this.canvas.clientHeight, 1);
    let n = 0;
    for (const name of this.#marked) {
      const d = this.#stage.bodies.get(name)!;
      const place = subtract(this.poses.get(name)!.p, eye);
      const radius = Math.max(d.radius, globeRadius(d.body));
      if (radius > 3 * pixel * norm(place)) continue;
      at.setXYZ(n++, ...place);
    }
    this.#markers.geometry.setDrawRange(0, n);
    at.needsUpdate = true;
  }

  /** The spheres of everything that is not far away by its nature, in the axes of the scene. */
  #spheres(): Sphere[] {
    const bodies = [...this.#stage.bodies.values()];
    const main = this.scene.bodies.find((b) => b.name === this.target);
    const frames = bodies.some((d) => d.body.kind === 'frame' && d.frame);
    const all: Sphere[] = [];
    for (const d of bodies) {
      const pose = this.poses.get(d.body.name)!;
      if (frames && d.body.kind !== 'point') all.push({ centre: pose.p, radius: Math.max(d.radius, globeRadius(d.body)) });
      else for (const s of spheresOf(d.body)) all.push({ centre: placed(pose, s.centre), radius: s.radius });
    }
    // of a craft in orbit what is within its reach; the planet is elsewhere
    const at = main?.orbit ? this.poses.get(main.name)!.p : undefined;
    const shown = at ? all.filter((s) => norm(subtract(s.centre, at)) < 1e4) : all;
    return shown.length > 0 && shown.some((s) => s.radius > 0 || shown.length > 1) ? shown : [{ centre: at ?? [0, 0, 0], radius: 1 }];
  }

  /** The camera shows the whole. */
  home(moving = true): void {
    this.#moved = false;
    if (this.poses.size === 0) this.poses = posesOf(this.scene, this.#conditions());
    this.riding = false;
    this.target = this.#main();
    this.#camera.aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const up = this.#up();
    this.#base = zTo(up ?? this.scene.up ?? [0, 0, 1]);
    this.#fit(up ? { ...start, elevation: horizon } : { ...start }, this.#spheres(), moving);
    this.#placed = true;
  }

  /** Of a craft in orbit: away from its planet. */
  #up(): Vec | undefined {
    const craft = this.scene.bodies.find((b) => b.name === this.target);
    const planet = craft?.orbit ? this.poses.get(craft.orbit.about) : undefined;
    return craft && planet ? subtract(this.poses.get(craft.name)!.p, planet.p) : undefined;
  }

  #fit(from: Orbit, spheres: Sphere[], moving: boolean): void {
    const { centre, distance } = fitted(spheres, multiply(this.#base, attitude(from)), fieldOfView, this.#camera.aspect);
    const of = this.target === '' ? undefined : this.poses.get(this.target)?.p;
    if (!of) this.#centre = centre;
    this.#go({ ...from, distance: 1.12 * distance, shift: of ? rotate(inverse(this.#base), subtract(centre, of)) : [0, 0, 0] }, moving);
  }

  #go(to: Orbit, moving: boolean): void {
    if (moving && !this.#reduced) this.#way = { from: this.orbit, to, began: performance.now(), centre: this.#centre };
    else this.orbit = to;
    this.schedule();
  }

  /** Looks at a body; an empty name: at the whole. */
  lookAt(name: string): void {
    const d = this.#stage.bodies.get(name);
    if (!d) return this.home();
    this.#moved = true;
    // the eye stays where it is, and then moves
    const eye = this.#eye();
    this.target = name;
    this.orbit = { ...this.orbit, shift: this.riding ? [0, 0, 0] : rotate(inverse(this.#base), subtract(eye.at, this.poses.get(name)!.p)) };
    const radius = 1.3 * Math.max(d.radius, globeRadius(d.body)) || 0.25 * this.orbit.distance;
    const { distance } = fitted([{ centre: [0, 0, 0], radius }], origin.q, fieldOfView, this.#camera.aspect);
    this.#go({ ...this.orbit, shift: [0, 0, 0], distance }, true);
  }

  ride(on: boolean): void {
    this.#moved = true;
    this.riding = on && this.target !== '';
    this.schedule();
  }

  turn(right: number, up: number): void {
    this.#moved = true;
    this.#way = undefined;
    this.orbit = turnedAround(this.orbit, right, up);
    this.schedule();
  }
  zoom(factor: number): void {
    this.#moved = true;
    this.#way = undefined;
    const smallest = Math.min(...[...this.#stage.bodies.values()].map((d) => d.radius).filter((r) => r > 0), 1);
    this.orbit = zoomed(this.orbit, factor, 0.5 * smallest, 1e13);
    this.schedule();
  }
  pan(right: number, up: number): void {
    this.#moved = true;
    this.#way = undefined;
    this.orbit = panned(this.orbit, right, up, fieldOfView);
    this.schedule();
  }

  /** The body under a point of the canvas, in CSS pixels. */
  pick(x: number, y: number): string | undefined {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.#camera);
    for (const hit of ray.intersectObjects(this.#stage.near.children, true)) {
      for (let o = hit.object.parent; o; o = o.parent) if (this.#stage.bodies.get(o.name)?.near === o) return o.name;
    }
    return undefined;
  }

  /** Where the names of bodies belong on the canvas. */
  labels(): Label[] {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const eye = this.#eye();
    const found: Label[] = [];
    const camera = this.#camera;
    for (const d of this.#stage.bodies.values()) {
      if (d.body.kind === 'point' || !d.near.visible) continue;
      const at = subtract(this.poses.get(d.body.name)!.p, eye.p);
      const p = new Vector3(...at).applyQuaternion(camera.quaternion.clone().invert());
      if (p.z >= 0) continue;
      const f = 1 / Math.tan(fieldOfView / 2);
      const x = (p.x * f) / camera.aspect / -p.z, y = (p.y * f) / -p.z;
      if (Math.abs(x) > 1.05 || Math.abs(y) > 1.05) continue;
      found.push({ name: d.body.name, kind: d.body.kind, x: ((x + 1) / 2) * w, y: ((1 - y) / 2) * h });
    }
    return found;
  }

  /** The share of pixels that differ from the background, of a picture drawn now. */
  coverage(): number {
    this.#draw(performance.now());
    const gl = this.#renderer.getContext();
    const [w, h] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let other = 0;
    for (let i = 4; i < pixels.length; i += 4) if (Math.abs(pixels[i] - pixels[0]) + Math.abs(pixels[i + 1] - pixels[1]) + Math.abs(pixels[i + 2] - pixels[2]) > 12) ++other;
    return other / (w * h);
  }

  dispose(): void {
    cancelAnimationFrame(this.#scheduled);
    this.#stage.dispose();
    for (const { track } of this.#trails.values()) track.object.geometry.dispose();
    this.#markers.geometry.dispose();
    this.#markers.material.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }
}
