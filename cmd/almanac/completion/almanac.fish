# Completion of almanac for fish. Load it with: almanac completion fish | source
function __almanac_complete
    set -l words (commandline -opc)
    set -l items ($words[1] __complete $words[2..] (commandline -ct) 2>/dev/null)
    if set -q items[1]
        printf '%s\n' $items
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c almanac -f -a '(__almanac_complete)'
