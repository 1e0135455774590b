# needs qemu-img
mkdir machines; qemu-img create -q -f qcow2 base.qcow2 1M
qemu-img create -q -f qcow2 -F qcow2 -b base.qcow2 layer.qcow2; cp layer.qcow2 machines/
