// The letters of pictures, see font.h.
    .section .rodata
    .global taffrail_plot_font
    .global taffrail_plot_font_end
    .balign 8
taffrail_plot_font:
    .incbin "plot/font.bin"
taffrail_plot_font_end:
    .section .note.GNU-stack, "", %progbits
