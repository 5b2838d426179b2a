package dev.latimer;

import java.util.Arrays;

/** The attention weights of a translation. */
public final class Attention {
  private final AttentionKind kind;
  private final int layers;
  private final int heads;
  private final int rows;
  private final float[] weights; // Row by row, then layer by layer, then head by head.

  Attention(AttentionKind kind, int layers, int heads, int rows, float[] weights) {
    this.kind = kind;
    this.layers = layers;
    this.heads = heads;
    this.rows = rows;
    this.weights = weights;
  }

  /** {@return what they are of} */
  public AttentionKind kind() {
    return kind;
  }

  /** {@return the layers of the encoder or decoder} */
  public int layers() {
    return layers;
  }

  /** {@return the heads of each layer} */
  public int heads() {
    return heads;
  }

  /** {@return the tokens that attend} */
  public int rows() {
    return rows;
  }

  /**
   * {@return what one token attends to in one layer and head: weights whose sum is 1} Of {@link
   * AttentionKind#DECODER} row {@code i} has {@code i + 1} of them.
   *
   * @param layer from 0
   * @param head from 0
   * @param row from 0
   * @throws IndexOutOfBoundsException if there is no such layer, head or row
   */
  public float[] row(int layer, int head, int row) {
    check("layer", layer, layers);
    check("head", head, heads);
    check("row", row, rows);
    int blocks = layers * heads;
    boolean grows = kind == AttentionKind.DECODER;
    int columns = grows ? row + 1 : weights.length / blocks / rows;
    int before = grows ? row * (row + 1) / 2 : row * columns;
    int begin = before * blocks + (layer * heads + head) * columns;
    return Arrays.copyOfRange(weights, begin, begin + columns);
  }

  private static void check(String name, int index, int count) {
    if (index >= 0 && index < count) return;
    throw new IndexOutOfBoundsException(name + " " + index + " of " + count);
  }
}
