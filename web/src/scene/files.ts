// Shapes from files: glTF, STL, OBJ. A chunk of its own, which is loaded when a scene names a file.
import { Box3, Group, LoadingManager, Mesh, MeshLambertMaterial, type MeshStandardMaterial, type Object3D, Sphere } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import type { Shape } from './format';
import { dispose, solid } from './meshes';

const stlHead = 84, stlTriangle = 50;

/** What a file asks for besides itself; the server is not asked for anything. */
function inside(): LoadingManager {
  const manager = new LoadingManager();
  manager.setURLModifier((url) => {
    if (/^(data|blob):/.test(url)) return url;
    throw new Error('it needs another file');
  });
  return manager;
}

async function content(file: string): Promise<ArrayBuffer> {
  if (file.startsWith('data:')) {
    const text = atob(file.slice(file.indexOf(',') + 1));
    return Uint8Array.from(text, (c) => c.charCodeAt(0)).buffer;
  }
  const answer = await fetch(`./file/${encodeURIComponent(file)}`);
  if (!answer.ok) throw new Error('the server does not have it any more');
  return answer.arrayBuffer();
}

/** As everything else in the picture is lit; the colours and pictures of the file stay. */
function plain(m: MeshStandardMaterial): MeshLambertMaterial {
  const made = solid(0xffffff);
  if (m.color) made.color.copy(m.color);
  made.map = m.map ?? null;
  made.vertexColors = m.vertexColors;
  made.transparent = m.transparent;
  made.opacity = m.opacity;
  made.alphaTest = m.alphaTest;
  m.dispose();
  return made;
}

async function gltf(bytes: ArrayBuffer): Promise<Object3D> {
  const { scene } = await new GLTFLoader(inside()).parseAsync(bytes, '');
  const extra: Object3D[] = [];
  scene.traverse((o) => {
    const mesh = o as Partial<Mesh>;
    if ('isLight' in o || 'isCamera' in o) extra.push(o);
    else if (mesh.isMesh) mesh.material = Array.isArray(mesh.material) ? mesh.material.map((m) => plain(m as MeshStandardMaterial)) : plain(mesh.material as MeshStandardMaterial);
  });
  for (const o of extra) o.removeFromParent();
  return scene;
}

function stl(bytes: ArrayBuffer, colour: number): Object3D {
  const triangles = bytes.byteLength < stlHead ? 0 : new DataView(bytes).getUint32(80, true);
  const binary = bytes.byteLength === stlHead + stlTriangle * triangles;
  if (!binary && !new TextDecoder().decode(bytes.slice(0, 5)).startsWith('solid')) throw new Error('it is no STL');
  return new Mesh(new STLLoader().parse(bytes), solid(colour));
}

function obj(bytes: ArrayBuffer, colour: number): Object3D {
  const all = new OBJLoader().parse(new TextDecoder().decode(bytes));
  const material = solid(colour);
  all.traverse((o) => {
    const mesh = o as Partial<Mesh>;
    if (mesh.isMesh) mesh.material = material;
  });
  return all;
}

/** Why an object cannot be drawn; undefined: it can. */
function fault(object: Object3D): string | undefined {
  let corners = 0;
  let finite = true;
  object.traverse((o) => {
    const mesh = o as Partial<Mesh>;
    const at = mesh.isMesh ? mesh.geometry?.getAttribute('position') : undefined;
    if (!at) return;
    corners += at.count;
    finite &&= (at.array as Float32Array).every(Number.isFinite);
  });
  if (!finite) return 'it has a corner that is not finite';
  return corners < 3 ? 'it has no triangles' : undefined;
}

/** The object of a shape, in the axes of its body, and the sphere around it. Rejects if it cannot be drawn. */
export async function load(s: Shape, colour: number): Promise<{ object: Group; bounds: NonNullable<Shape['bounds']> }> {
  const bytes = await content(s.file ?? '');
  const inner = s.format === 'gltf' ? await gltf(bytes) : s.format === 'stl' ? stl(bytes, colour) : obj(bytes, colour);
  const why = fault(inner);
  if (why !== undefined) {
    dispose(inner);
    throw new Error(why);
  }
  const object = new Group();
  object.add(inner);
  object.position.set(...(s.at ?? [0, 0, 0]));
  object.quaternion.set(...(s.rotation ?? [0, 0, 0, 1]));
  object.scale.set(...(s.scale ?? [1, 1, 1]));
  const { center, radius } = new Box3().setFromObject(object).getBoundingSphere(new Sphere());
  if (!(radius > 0) || ![center.x, center.y, center.z, radius].every(Number.isFinite)) {
    dispose(object);
    throw new Error('it has no form');
  }
  return { object, bounds: { centre: [center.x, center.y, center.z], radius } };
}
