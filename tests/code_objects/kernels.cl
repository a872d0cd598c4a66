// The kernels of the fixtures, OpenCL C without a library. README.md has the commands.

kernel void saxpy(global const float *x, global float *y, float a, uint count) {
    uint i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
    if (i < count)
        y[i] = a * x[i] + y[i];
}

#ifndef SMALL
// LDS, a barrier, two dimensions, a required size of the group.
__attribute__((reqd_work_group_size(16, 16, 1))) kernel void transpose(global const uint *from, global uint *to, uint pitch) {
    local uint tile[16][17];
    uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
    uint column = __builtin_amdgcn_workgroup_id_x() * 16, row = __builtin_amdgcn_workgroup_id_y() * 16;
    tile[y][x] = from[(row + y) * pitch + column + x];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    to[(column + y) * pitch + row + x] = tile[x][y];
}

// Scratch memory: an array that the program indexes.
kernel void histogram(global const uchar *bytes, global uint *counts, uint count) {
    volatile uint own[16];
    for (uint i = 0; i < count; i++)
        own[bytes[i] & 15] = i;
    counts[0] = own[counts[1] & 15];
}

// LDS whose size the dispatch states, and three thread ids.
kernel void spread(global uint *to, local uint *room) {
    uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
    room[x] = y + z;
    __builtin_amdgcn_s_barrier();
    to[__builtin_amdgcn_workgroup_id_z() + x] = room[x ^ 1];
}

// What the dispatch packet says, or from version 5 on hidden arguments: the sizes of groups and grid.
kernel void sizes(global uint *to) {
    to[__builtin_amdgcn_workitem_id_x()] = __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_grid_size_x();
}

// A function that calls itself: scratch of one call.
static uint larger(uint a, uint b) { return a > b ? a : b; }
__attribute__((noinline)) static uint depth(global const uint *tree, uint node) {
    return node == 0 ? 0 : 1 + larger(depth(tree, tree[2 * node]), depth(tree, tree[2 * node + 1]));
}
kernel void walk(global const uint *tree, global uint *to) { to[0] = depth(tree, 1); }
#endif
